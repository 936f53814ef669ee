import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List certificates and SSH keys that repositories' servers are known by.",
  examples: ["capstan cert list --cert-type https", "capstan cert list --hostname-pattern '*.example'"],
  argument: "none",
  arity: [0, 0],
  flags: {
    "cert-type": { kind: "string", help: "Only of this type", choices: ["ssh", "https"] },
    "hostname-pattern": { kind: "string", help: "Only of these hosts", value: "GLOB" },
    sort: {
      kind: "string",
      help: "Order of the table",
      choices: ["hostname", "type"],
      byDefault: "hostname",
    },
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ flags, io, api }) {
    const { "cert-type": certType, "hostname-pattern": hostNamePattern, sort = "hostname" } = flags;
    const { items = [] } = await (await api()).call("listCertificates", { certType, hostNamePattern });
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, items);
      return 0;
    }
    const rows = items
      .map((one) => [one.serverName ?? "", one.certType ?? "", one.certSubType ?? "", one.certInfo ?? ""])
      .sort((left, right) => compare(left, right, sort === "type" ? 1 : 0));
    io.out(formatTable([["HOSTNAME", "TYPE", "SUBTYPE", "INFO"], ...rows]));
    return 0;
  },
});

function compare(left: readonly string[], right: readonly string[], column: number): number {
  const [one = "", other = ""] = [left[column], right[column]];
  return one === other ? 0 : one < other ? -1 : 1;
}
