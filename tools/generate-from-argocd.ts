/**
 * Writes the tables of docs/from-argocd.md from packages/model/src/settings: what of Argo CD's settings, annotations,
 * options and fields is honoured, refused or not honoured, and what follows. With --check only says whether they agree.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KnownSetting, knownSettings } from "@capstan/model/settings";

const page = join(import.meta.dirname, "..", "docs", "from-argocd.md");
const begin = "<!-- settings -->\n";
const end = "<!-- end of settings -->";

const settings = knownSettings();
const present = await readFile(page, "utf8");
const from = present.indexOf(begin);
const to = present.indexOf(end, from);
if (from < 0 || to < 0) throw new Error(`docs/from-argocd.md has no ${begin.trim()} … ${end}`);
const wanted = `${present.slice(0, from + begin.length)}\n${sections()}\n\n${present.slice(to)}`;
if (process.argv.includes("--check")) {
  if (present !== wanted) {
    console.error("docs/from-argocd.md is out of date; run npm run generate");
    process.exitCode = 1;
  }
} else {
  await writeFile(page, wanted);
  console.log(`docs/from-argocd.md: ${settings.length} settings`);
}

function sections(): string {
  return [...Map.groupBy(settings, ({ holder }) => holder)]
    .map(([holder, own]) => section(holder, own))
    .join("\n\n");
}

function section(holder: string, own: readonly KnownSetting[]): string {
  const count = (standing: KnownSetting["standing"]) => own.filter((one) => one.standing === standing).length;
  const counts = `${count("honoured")} honoured, ${count("refused")} refused, ${count("not honoured")} not honoured`;
  const plain = own.filter(({ standing, note }) => standing === "honoured" && note === "");
  const lines = [`### ${holder}`, "", `${counts}.`];
  if (plain.length > 0) lines.push("", `Honoured: ${plain.map(nameOf).join(", ")}.`);
  const rest = Map.groupBy(
    own.filter((one) => !plain.includes(one)),
    ({ standing, blocks, note }) => `${blocks ? `${standing}, **blocks**` : standing} | ${cell(note)}`,
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

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
}
