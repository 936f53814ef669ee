import { defineCommand } from "../../command.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "List a project's roles.",
  argument: "project",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "name", "json", "yaml"], "wide"),
  },
  async run({ args: [name = ""], flags, io, api }) {
    const { roles = [] } = (await (await api()).call("getProject", { name })).spec;
    const rows = () => roles.map((role) => [role.name, role.description ?? ""]);
    await printList(io, flags.output, {
      items: roles,
      line: (role) => role.name,
      table: () => formatTable([["ROLE-NAME", "DESCRIPTION"], ...rows()]),
    });
    return 0;
  },
});
