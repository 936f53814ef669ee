import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { qualifiedSetName, setTable } from "../../output/set-rows.ts";

export default defineCommand({
  usage: "",
  help: "List application sets.",
  examples: ["capstan appset list", "capstan appset list -l team=web -o name"],
  argument: "none",
  arity: [0, 0],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["wide", "name", "json", "yaml"],
      byDefault: "wide",
    },
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
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "name") io.out(items.map((set) => `${qualifiedSetName(set)}\n`).join(""));
    else io.out(setTable(items));
    return 0;
  },
});
