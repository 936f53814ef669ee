import { defineCommand, ExitError, UsageError } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import { appNamespaceFlag, fetchApp, readAppName } from "./app-name.ts";
import { sourcePosition } from "./source-position.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Remove one of an application's sources.",
  examples: [
    "capstan app remove-source guestbook --source-position 2",
    "capstan app remove-source guestbook --source-name web",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    "source-position": { kind: "integer", help: "Position of the source, from 1", value: "N" },
    "source-name": { kind: "string", help: "Name of the source", value: "NAME" },
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, global, api }) {
    const isByName = flags["source-name"] !== undefined;
    if (!isByName && flags["source-position"] === undefined)
      throw new UsageError("name the source: --source-position or --source-name");
    if (isByName && flags["source-position"] !== undefined)
      throw new ExitError("Only one of source-position and source-name can be specified.", 20);
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const { spec } = await fetchApp(client, ref);
    if (!spec.sources?.length)
      throw new ExitError("Application does not have multiple sources configured", 20);
    if (spec.sources.length === 1)
      throw new ExitError("Cannot remove the only source remaining in the app", 20);
    const sources = spec.sources.toSpliced(sourcePosition(spec, flags), 1);
    if (!(await confirmIfEnabled(io, global, "Are you sure you want to delete the source?"))) {
      io.out("The command to delete the source was cancelled\n");
      return 0;
    }
    await client.call("updateApplicationSpec", { ...ref, spec: { ...spec, sources } });
    io.out(`Application '${ref.name}' updated successfully\n`);
    return 0;
  },
});
