import { defineCommand } from "../../command.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { projectTable } from "../../output/project-rows.ts";
import { roomOf } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List projects.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "name", "json", "yaml"], "wide"),
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listProjects", {});
    const table = () => projectTable(items, roomOf(io));
    await printList(io, flags.output, { items, line: ({ metadata }) => metadata.name, table });
    return 0;
  },
});
