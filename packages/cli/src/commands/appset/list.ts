import { defineCommand } from "../../command.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { qualifiedSetName, setTable } from "../../output/set-rows.ts";
import { roomOf } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List application sets.",
  examples: ["capstan appset list", "capstan appset list -l team=web -o name"],
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "name", "json", "yaml"], "wide"),
    selector: { kind: "string", short: "l", help: "Label selector", value: "SELECTOR" },
    project: { kind: "list", short: "p", help: "Only of these projects", value: "PROJECT" },
    "appset-namespace": { kind: "string", short: "N", help: "Only from this namespace", value: "NAMESPACE" },
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listApplicationSets", {
      selector: flags.selector,
      projects: flags.project,
      appsetNamespace: flags["appset-namespace"],
    });
    await printList(io, flags.output, {
      items,
      line: qualifiedSetName,
      table: () => setTable(items, roomOf(io)),
    });
    return 0;
  },
});
