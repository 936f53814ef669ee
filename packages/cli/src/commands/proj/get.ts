import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { projectSummary } from "../../output/project-rows.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "Show one project.",
  argument: "project",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args: [name = ""], flags, io, api }) {
    const found = await (await api()).call("getDetailedProject", { name });
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, found.project);
    else io.out(projectSummary(found));
    return 0;
  },
});
