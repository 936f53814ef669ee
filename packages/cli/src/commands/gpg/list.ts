import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List GnuPG keys that commits may be signed with.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ flags, io, api }) {
    const { items = [] } = await (await api()).call("listGpgKeys", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, items);
    else {
      const rows = items.map((key) => [key.keyID ?? "", (key.subType ?? "").toUpperCase(), key.owner ?? ""]);
      io.out(formatTable([["KEYID", "TYPE", "IDENTITY"], ...rows]));
    }
    return 0;
  },
});
