import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "List a project's roles.",
  argument: "project",
  arity: [1, 1],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["wide", "name", "json", "yaml"],
      byDefault: "wide",
    },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const { roles = [] } = (await (await api()).call("getProject", { name })).spec;
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, roles);
    else if (flags.output === "name") io.out(roles.map((role) => `${role.name}\n`).join(""));
    else {
      const rows = roles.map((role) => [role.name, role.description ?? ""]);
      io.out(formatTable([["ROLE-NAME", "DESCRIPTION"], ...rows]));
    }
    return 0;
  },
});
