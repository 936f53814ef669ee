import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { defineCommand } from "../../command.ts";
import { onApp, readAppName } from "./app-name.ts";

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
    revision: { kind: "string", help: "Instead of the application's revision", value: "REVISION" },
    revisions: { kind: "list", help: "One for each of --source-positions", value: "REVISION" },
    "source-positions": { kind: "list", help: "Positions of sources, from 1", value: "N" },
    stage: { kind: "string", help: "As they are after this stage of the pipeline", value: "N|NAME" },
    "diff-stages": { kind: "boolean", help: "What each stage of the pipeline changed" },
    "app-namespace": { kind: "string", short: "N", help: "Namespace of the application", value: "NAMESPACE" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    if (flags.stage !== undefined || flags["diff-stages"]) {
      const { showStage, showStageDiffs } = await import("./show-stages.ts");
      const { revision, revisions } = flags;
      const sourcePositions = flags["source-positions"]?.map(Number);
      const request = { ...ref, revision, revisions, sourcePositions };
      const { sources } = await onApp(client, ref, () => client.call("explainRender", request));
      if (flags.stage === undefined) showStageDiffs(sources, io);
      else showStage(sources, flags.stage, io);
      return 0;
    }
    const texts = await onApp(client, ref, async () => {
      if (flags.source !== "live") {
        const { revision, revisions } = flags;
        const sourcePositions = flags["source-positions"]?.map(Number);
        return (await client.call("getManifests", { ...ref, revision, revisions, sourcePositions }))
          .manifests;
      }
      const { items } = await client.call("listManagedResources", ref);
      return items.map(({ liveState }) => liveState ?? "null").filter((text) => text !== "null");
    });
    for (const text of texts) io.out(`---\n${dumpYaml(parseJson(text))}`);
    return 0;
  },
});
