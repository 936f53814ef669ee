/**
 * Writes the tables of docs/from-argocd.md: from packages/model/src/settings what of Argo CD's settings, annotations,
 * options and fields is honoured, refused or not honoured, and what follows; from packages/cli which commands and flags
 * of `argocd` are not there, and what to do in their place. With --check only says whether they agree.
 */
import { commandGaps } from "@capstan/cli";
import { type KnownSetting, knownSettings } from "@capstan/model/settings";
import { cell, keepSections } from "./page-sections.ts";

const settings = knownSettings();
const parts = { settings: sections(), commands: commandTable() };
await keepSections("from-argocd.md", parts, `${settings.length} settings, ${commandGaps.length} commands`);

function commandTable(): string {
  const rows = commandGaps.map(
    ({ names, reason }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${cell(reason)} |`,
  );
  return ["| `argocd` | `capstan` |", "|---|---|", ...rows].join("\n");
}

function sections(): string {
  return [...Map.groupBy(settings, ({ holder }) => holder)]
    .map(([holder, own]) => section(holder, own))
    .join("\n\n");
}

function section(holder: string, own: readonly KnownSetting[]): string {
  const count = (standing: KnownSetting["standing"]) => own.filter((one) => one.standing === standing).length;
  const counts = `${count("honoured")} honoured, ${count("not honoured")} not honoured`;
  const plain = own.filter(({ standing, note }) => standing === "honoured" && note === "");
  const lines = [`### ${holder}`, "", `${counts}.`];
  if (plain.length > 0) lines.push("", `Honoured: ${plain.map(nameOf).join(", ")}.`);
  const rest = Map.groupBy(
    own.filter((one) => !plain.includes(one)),
    ({ standing, blocks, note }) =>
      `${blocks ? `${standing}, **blocks**` : standing} | ${cell(note).replaceAll("<", "&lt;")}`,
  );
  if (rest.size > 0) lines.push("", "| | | what follows, what to do |", "|---|---|---|");
  for (const [what, alike] of rest) lines.push(`| ${alike.map(nameOf).join(", ")} | ${what} |`);
  return lines.join("\n");
}

/** Keys and fields by themselves; options, annotations and labels by what they are. */
function nameOf({ part, key }: KnownSetting): string {
  const name = `\`${key.replaceAll("|", "\\|")}\``;
  return part === "key" || part === "field" ? name : `${part} ${name}`;
}
