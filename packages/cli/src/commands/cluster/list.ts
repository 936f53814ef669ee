import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List clusters.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["wide", "server", "json", "yaml"],
      byDefault: "wide",
    },
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listClusters", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "server") io.out(items.map(({ server }) => `${server}\n`).join(""));
    else {
      const paint = painter(io);
      const rows = items.map(({ server, name, serverVersion, connectionState, project, namespaces }) => {
        const status = connectionState?.status ?? "Unknown";
        return [
          namespaces?.length ? `${server} (${namespaces.length} namespaces)` : server,
          name,
          serverVersion ?? "",
          status === "Successful" ? paint("green", status) : status,
          connectionState?.message ?? "",
          project ?? "",
        ];
      });
      io.out(formatTable([["SERVER", "NAME", "VERSION", "STATUS", "MESSAGE", "PROJECT"], ...rows]));
    }
    return 0;
  },
});
