import { defineCommand } from "../../command.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "End the running operation of an application.",
  argument: "application",
  arity: [1, 1],
  flags: {
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    await onApp(client, ref, () => client.call("terminateOperation", ref));
    io.out(`Application '${ref.name}' operation terminating\n`);
    return 0;
  },
});
