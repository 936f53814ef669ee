import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { appNamespaceFlag, onApp, readAppName } from "../app/app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Show what the image updater would do for an application, and why each other tag is passed over. Nothing is changed.",
  examples: ["capstan images list guestbook", "capstan images list guestbook --tags"],
  argument: "application",
  arity: [1, 1],
  flags: {
    tags: { kind: "boolean", help: "Show every tag of the registries and why it is not taken" },
    ...appNamespaceFlag,
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const { by, images, problems } = await onApp(client, ref, () => client.call("planImageUpdates", ref));
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, { by, images, problems });
    else {
      if (images.length === 0 && problems.length === 0)
        io.out(
          by === ""
            ? `Application '${name}' names no images to follow: argocd-image-updater.argoproj.io/image-list, or an ImageUpdater\n`
            : `${by} names no images for application '${name}'\n`,
        );
      const rows = images.map(({ alias, image, from, to, does, because }) => [
        alias,
        image,
        from,
        to,
        does,
        because,
      ]);
      if (rows.length > 0)
        io.out(formatTable([["ALIAS", "IMAGE", "RUNS", "FITS", "DOES", "BECAUSE"], ...rows]));
      const tags = images.flatMap(({ alias, passedOver }) =>
        passedOver.map(({ tag, because }) => [alias, tag, because]),
      );
      if (flags.tags && tags.length > 0)
        io.out(`\n${formatTable([["ALIAS", "TAG", "NOT TAKEN BECAUSE"], ...tags])}`);
      for (const problem of problems) io.err(`${problem}\n`);
    }
    return problems.length > 0 ? 1 : 0;
  },
});
