import { defineCommand, ExitError } from "../../command.ts";
import { fetchApp, readAppName } from "./app-name.ts";
import { applySourceFlags } from "./apply-app-flags.ts";
import { appFlags, isAboutSource, saysSomething, warnOfIgnored } from "./source-flags.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Add a source to an application that has a list of them.",
  examples: [
    "capstan app add-source guestbook --repo https://git.example/apps.git --path guestbook --source-name guestbook",
  ],
  argument: "application",
  arity: [1, 1],
  flags: appFlags,
  async run({ args: [name = ""], flags, io, api }) {
    const others = Object.keys(flags).filter((flag) => saysSomething(flag) && !isAboutSource(flag));
    warnOfIgnored(io, others, "on a source");
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const { spec } = await fetchApp(client, ref);
    if (!spec.sources?.length)
      throw new ExitError(
        `Cannot add source: application ${ref.name} does not have spec.sources defined: move its source to spec.sources with capstan app edit`,
        20,
      );
    const sources = [...spec.sources, await applySourceFlags({ repoURL: "" }, flags)];
    await client.call("updateApplicationSpec", {
      ...ref,
      spec: { ...spec, sources },
      validate: flags.validate ?? true,
    });
    io.out(`Application '${ref.name}' updated successfully\n`);
    return 0;
  },
});
