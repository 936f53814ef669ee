import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { defineCommand } from "../../command.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";
import { localFlags } from "./source-flags.ts";
import { readRevisions, revisionFlags } from "./source-position.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Print an application's manifests as git says them, or as they are in the cluster.",
  examples: [
    "capstan app manifests guestbook",
    "capstan app manifests guestbook --revision v2 --source live",
    "capstan app manifests guestbook --diff-stages",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    source: { kind: "string", help: "Where to read them", choices: ["git", "live"], byDefault: "git" },
    ...revisionFlags,
    ...localFlags,
    stage: { kind: "string", help: "As they are after this stage of the pipeline", value: "N|NAME" },
    "diff-stages": { kind: "boolean", help: "What each stage of the pipeline changed" },
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api, shippedPlugins }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const revisions = await readRevisions(client, ref, flags);
    if (flags.stage !== undefined || flags["diff-stages"]) {
      const { showStage, showStageDiffs } = await import("./show-stages.ts");
      const { sources } = await onApp(client, ref, () =>
        client.call("explainRender", { ...ref, ...revisions }),
      );
      if (flags.stage === undefined) showStageDiffs(sources, io);
      else showStage(sources, flags.stage, io);
      return 0;
    }
    const texts = await onApp(client, ref, async () => {
      const { source, local: folder } = flags;
      if (source !== "live" && folder !== undefined) {
        const { localManifests } = await import("./local-manifests.ts");
        return localManifests(ref, { io, api: client, shippedPlugins, folder, flags });
      }
      if (source !== "live" && Object.keys(revisions).length > 0)
        return (await client.call("getManifests", { ...ref, ...revisions })).manifests;
      const { items } = await client.call("listManagedResources", ref);
      // As they are compared: with namespace and tracking id, secrets masked.
      const texts = items.map((one) => (source === "live" ? one.liveState : one.targetState) ?? "null");
      return texts.filter((text) => text !== "null");
    });
    for (const text of texts) io.out(`---\n${dumpYaml(parseJson(text))}`);
    return 0;
  },
});
