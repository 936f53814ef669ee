import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { installedFlags, installedPlugins } from "./installed-plugins.ts";

export default defineCommand({
  usage: "",
  help: "List the plugins and Pipelines that applications can use.",
  examples: [
    "capstan plugin list",
    "capstan plugin list --socket-dir /home/argocd/cmp-server/plugins",
    "capstan plugin list --address 127.0.0.1:8081 --plaintext",
  ],
  argument: "none",
  arity: [0, 0],
  flags: installedFlags,
  async run(invocation) {
    const { flags, io } = invocation;
    const plugins = await installedPlugins(invocation);
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, plugins);
      return 0;
    }
    const rows = plugins.map(({ name, origin, shapes, discovery = "", keyedBy, parameters }) => [
      name,
      origin,
      shapes.join(","),
      discovery,
      keyedBy,
      String(parameters.length),
    ]);
    io.out(formatTable([["NAME", "ORIGIN", "DOES", "DISCOVERY", "CACHED BY", "PARAMETERS"], ...rows]));
    return 0;
  },
});
