import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { clientVersion } from "../../version.ts";

export default defineCommand({
  usage: "",
  help: "Print the versions of this program and of the server.",
  argument: "none",
  arity: [0, 0],
  flags: {
    client: { kind: "boolean", help: "Only of this program; asks no server" },
    short: { kind: "boolean", help: "Only the version numbers" },
    output: { kind: "string", short: "o", help: "Output format", choices: ["wide", "json", "yaml"] },
  },
  async run({ flags, io, api }) {
    const client = { Version: await clientVersion(), Platform: `${process.platform}/${process.arch}` };
    const server = flags.client ? undefined : await (await api()).call("getVersion", {});
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, { client, ...(server ? { server } : {}) });
      return 0;
    }
    io.out(`capstan: ${client.Version}\n`);
    if (!flags.short) io.out(`  Platform: ${client.Platform}\n`);
    if (server) io.out(`capstan-server: ${server.Version}\n`);
    return 0;
  },
});
