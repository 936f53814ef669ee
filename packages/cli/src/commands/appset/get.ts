import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { setSummary } from "../../output/set-rows.ts";
import { formatTable } from "../../output/table.ts";
import { readSetName } from "./read-sets.ts";

export default defineCommand({
  usage: "APPSETNAME",
  help: "Show one application set.",
  argument: "none",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
    "show-params": { kind: "boolean", help: "Also show the template's Helm parameters" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const set = await (await api()).call("getApplicationSet", readSetName(name));
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, set);
      return 0;
    }
    io.out(setSummary(set));
    const { parameters = [] } = set.spec.template.spec.source?.helm ?? {};
    if (flags["show-params"] && parameters.length > 0)
      io.out(
        `\n${formatTable([["NAME", "VALUE"], ...parameters.map((one) => [one.name ?? "", one.value ?? ""])])}`,
      );
    return 0;
  },
});
