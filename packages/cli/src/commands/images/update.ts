import type { ImageUpdates } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import { imageTable } from "../../output/image-rows.ts";
import { appNamespaceFlag, onApp, selectApps } from "../app/app-name.ts";

export default defineCommand({
  usage: "APPNAME...",
  help: "Look for new versions of applications' images now, instead of within the interval, and write them where the applications say. The registries are asked anew.",
  examples: [
    "capstan images update guestbook --dry-run",
    "capstan images update guestbook",
    "capstan images update -l team=web",
  ],
  argument: "application",
  arity: [0, 1000],
  flags: {
    "dry-run": { kind: "boolean", help: "Show what would be updated, and change nothing" },
    selector: { kind: "string", short: "l", help: "Those with these labels", value: "SELECTOR" },
    project: { kind: "list", short: "p", help: "Those of these projects", value: "PROJECT" },
    ...appNamespaceFlag,
  },
  async run({ args, flags, io, api }) {
    const client = await api();
    const { "dry-run": isDry, selector, project: projects, "app-namespace": namespace } = flags;
    const refs = await selectApps(client, { names: args, selector, projects, namespace });
    const call = isDry ? "planImageUpdates" : "updateImages";
    let code = 0;
    for (const ref of refs) {
      const name = ref.appNamespace ? `${ref.appNamespace}/${ref.name}` : ref.name;
      const { images, problems } = await onApp(client, ref, () => client.call(call, ref));
      const updates = images.filter(({ does }) => does === "update");
      io.out(imageTable([{ images: updates }]));
      io.out(`${sentence(name, { updates, isDry })}\n`);
      for (const text of [...problems, ...skippedIn(images)]) io.err(`${name}: ${text}\n`);
      if (problems.length > 0 || skippedIn(images).length > 0) code = 1;
    }
    return code;
  },
});

function sentence(
  name: string,
  { updates, isDry }: { updates: ImageUpdates["images"]; isDry: boolean | undefined },
): string {
  if (updates.length === 0) return `Application '${name}': nothing to update`;
  const images = updates.length === 1 ? "1 image" : `${updates.length} images`;
  return isDry
    ? `Application '${name}': ${images} would be updated; nothing is changed`
    : `Application '${name}': ${images} will be updated; its Events say what became of it`;
}

const skippedIn = (images: ImageUpdates["images"]): string[] =>
  images.flatMap(({ does, alias, because }) => (does === "skip" ? [`${alias}: ${because}`] : []));
