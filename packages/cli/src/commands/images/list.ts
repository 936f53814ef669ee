import { runLimited } from "@capstan/flow";
import type { ImageUpdates } from "@capstan/wire";
import type { Api } from "../../api.ts";
import { defineCommand } from "../../command.ts";
import { imageTable, tagTable } from "../../output/image-rows.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { type AppRef, appNamespaceFlag, onApp, readAppName } from "../app/app-name.ts";

const atOnce = 4;

export default defineCommand({
  usage: "[APPNAME]",
  help: "Show what the image updater would do for an application, or for all that name images, and why each other tag is passed over. Nothing is changed.",
  examples: [
    "capstan images list",
    "capstan images list guestbook --tags",
    "capstan images list -l team=web",
  ],
  argument: "application",
  arity: [0, 1],
  flags: {
    tags: { kind: "boolean", help: "Show every tag of the registries and why it is not taken" },
    selector: { kind: "string", short: "l", help: "Of all: those with these labels", value: "SELECTOR" },
    project: { kind: "list", short: "p", help: "Of all: those of these projects", value: "PROJECT" },
    ...appNamespaceFlag,
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args: [name], flags, io, api }) {
    const client = await api();
    const one = name === undefined ? undefined : readAppName(name, flags["app-namespace"]);
    const all = one ? [await askFor(client, one)] : await listAll(client, flags);
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, one ? all[0] : { items: all });
    else {
      if (all.every(({ images, problems }) => images.length === 0 && problems.length === 0))
        io.out(nothingIn(name, all[0]?.by ?? ""));
      io.out(imageTable(all));
      const tags = flags.tags ? tagTable(all) : "";
      if (tags !== "") io.out(`\n${tags}`);
      for (const { application, problems } of all)
        for (const problem of problems) io.err(application ? `${application}: ${problem}\n` : `${problem}\n`);
    }
    return all.some(({ problems }) => problems.length > 0) ? 1 : 0;
  },
});

const askFor = (client: Api, ref: AppRef): Promise<ImageUpdates & { application?: string }> =>
  onApp(client, ref, () => client.call("planImageUpdates", ref));

interface Which {
  readonly selector?: string | undefined;
  readonly project?: readonly string[] | undefined;
  readonly "app-namespace"?: string | undefined;
}

/** Of the applications that name images. */
async function listAll(
  client: Api,
  { selector, project, "app-namespace": appNamespace }: Which,
): Promise<(ImageUpdates & { application: string })[]> {
  const fields = "items.metadata.name,items.metadata.namespace";
  const { items } = await client.call("listApplications", { selector, project, appNamespace, fields });
  const all = await runLimited(items, atOnce, async ({ metadata: { name, namespace } }) => {
    const updates = await askFor(client, { name, ...(namespace ? { appNamespace: namespace } : {}) });
    return { application: namespace ? `${namespace}/${name}` : name, ...updates };
  });
  return all.filter(({ by }) => by !== "");
}

function nothingIn(name: string | undefined, by: string): string {
  const named = "argocd-image-updater.argoproj.io/image-list, or an ImageUpdater";
  if (name === undefined) return `No application names images to follow: ${named}\n`;
  if (by === "") return `Application '${name}' names no images to follow: ${named}\n`;
  return `${by} names no images for application '${name}'\n`;
}
