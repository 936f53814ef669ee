import { isWindowActive } from "@capstan/engine";
import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "List a project's sync windows, each with its id.",
  argument: "project",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
  },
  async run({ args: [name = ""], flags, io, api }) {
    const { syncWindows = [] } = (await (await api()).call("getProject", { name })).spec;
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, syncWindows);
      return 0;
    }
    const nowMs = io.clock.now();
    const rows = syncWindows.map((window, id) => [
      String(id),
      isWindowActive(window, nowMs) === true ? "Active" : "Inactive",
      window.kind ?? "",
      window.schedule ?? "",
      window.duration ?? "",
      listed(window.applications),
      listed(window.namespaces),
      listed(window.clusters),
      window.manualSync ? "Enabled" : "Disabled",
      window.timeZone ?? "",
      window.andOperator ? "Enabled" : "Disabled",
    ]);
    io.out(formatTable([[...header], ...rows]));
    return 0;
  },
});

const header = [
  "ID",
  "STATUS",
  "KIND",
  "SCHEDULE",
  "DURATION",
  "APPLICATIONS",
  "NAMESPACES",
  "CLUSTERS",
  "MANUALSYNC",
  "TIMEZONE",
  "USEANDOPERATOR",
];

function listed(patterns: readonly string[] = []): string {
  return patterns.length > 0 ? patterns.join(",") : "-";
}
