import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { projectTable } from "../../output/project-rows.ts";

export default defineCommand({
  usage: "",
  help: "List projects.",
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
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listProjects", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else if (flags.output === "name") io.out(items.map(({ metadata }) => `${metadata.name}\n`).join(""));
    else io.out(projectTable(items));
    return 0;
  },
});
