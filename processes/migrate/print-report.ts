import { formatTable } from "@capstan/cli/record";
import type { ComparedViews } from "@capstan/engine";
import type { MigrationReport } from "./report.ts";

/** Of one application, in the table; -o json has them all. */
const mostLines = 10;
const mostFields = 5;
const mostText = 160;

export function printReport({ summary, applications, pluginsLacking, settings }: MigrationReport): string {
  const { equal, differ, unknown } = summary;
  const parts = [
    applications.length === 0
      ? ""
      : formatTable([
          ["APPLICATION", "VERDICT", "ABOUT", "ARGO CD", "CAPSTAN"],
          ...applications.flatMap(linesOf),
        ]),
    pluginsLacking.length === 0
      ? ""
      : formatTable([
          ["PLUGIN THAT IS NOT HERE", "NEEDED BY"],
          ...pluginsLacking.map((one) => [one.plugin, one.applications.join(", ")]),
        ]),
    settings.length === 0
      ? ""
      : formatTable([
          ["WHERE", "SETTING", "STANDING", "WHAT FOLLOWS"],
          ...settings.map(({ where, setting, standing, blocks, note }) => [
            where,
            setting,
            blocks ? `${standing}, BLOCKS` : standing,
            note,
          ]),
        ]),
    `${summary.applications} applications: ${equal} equal, ${differ} differ, ${unknown} could not be told. ${summary.settingsNotHonoured} settings are not honoured as they stand.\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function linesOf({ application, verdict, differences, unknown, sync, health }: ComparedViews): string[][] {
  const lines = [
    ...differences.map(({ about, argocd, capstan, fields = [] }) => [
      about,
      short(argocd),
      `${short(capstan)}${fieldsText(fields)}`,
    ]),
    ...unknown.map((why) => ["", "", short(why)]),
  ];
  if (lines.length === 0) lines.push(["", `${sync}, ${health}`, "the same"]);
  const shown = lines.slice(0, mostLines);
  if (lines.length > mostLines) shown.push(["", "", `${lines.length - mostLines} more: -o json has them`]);
  return shown.map((line, at) => [at === 0 ? application : "", at === 0 ? verdict : "", ...line]);
}

function fieldsText(fields: readonly string[]): string {
  if (fields.length === 0) return "";
  const more = fields.length > mostFields ? `, ${fields.length - mostFields} more` : "";
  return `: ${fields.slice(0, mostFields).join(", ")}${more}`;
}

function short(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > mostText ? `${line.slice(0, mostText)}…` : line;
}
