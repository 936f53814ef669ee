import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List the local accounts that you may see.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["json", "yaml", "wide", "name"],
      byDefault: "wide",
    },
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listAccounts", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "name") io.out(items.map(({ name }) => `${name}\n`).join(""));
    else {
      const rows = items.map(({ name, enabled, capabilities }) => [
        name,
        `${enabled}`,
        capabilities.join(", "),
      ]);
      io.out(formatTable([["NAME", "ENABLED", "CAPABILITIES"], ...rows]));
    }
    return 0;
  },
});
