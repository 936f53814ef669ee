/**
 * Writes the tables of docs/security.md from compat/attacks: each threat, what holds it and its test; each published
 * advisory and the attacks of its class. With --check only says whether they agree. An advisory with neither an
 * attack nor a reason why there can be none, or a name that is no listed advisory, fails.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { advisories } from "../compat/attacks/advisories.ts";
import type { Attack } from "../compat/attacks/attack.ts";
import { readAttacks } from "../compat/attacks/read-attacks.ts";

const page = join(import.meta.dirname, "..", "docs", "security.md");
const marks = {
  attacks: ["<!-- attacks -->\n", "<!-- end of attacks -->"],
  advisories: ["<!-- advisories -->\n", "<!-- end of advisories -->"],
} as const;

const attacks = await readAttacks();
const problems = checkAdvisories();
const present = await readFile(page, "utf8");
const wanted = [[marks.attacks, attackTable()] as const, [marks.advisories, advisoryTable()] as const].reduce(
  (text, [mark, table]) => replaceBetween(text, mark, table),
  present,
);

for (const problem of problems) console.error(problem);
if (process.argv.includes("--check")) {
  if (present !== wanted) problems.push("stale");
  if (present !== wanted) console.error("docs/security.md is out of date; run npm run generate");
} else {
  await writeFile(page, wanted);
  console.log(`docs/security.md: ${attacks.length} attacks, ${advisories.length} advisories`);
}
process.exitCode = problems.length > 0 ? 1 : 0;

function checkAdvisories(): string[] {
  const listed = new Set(advisories.map(({ id }) => id));
  const tried = new Set(attacks.flatMap((attack) => attack.advisories ?? []));
  const open = advisories
    .filter(({ id, notHere }) => notHere === undefined && !tried.has(id))
    .map(
      ({ id, project, problem }) => `${id} (${project}: ${problem}) has no attack in compat/attacks/classes`,
    );
  const unknown = [...tried]
    .filter((id) => !listed.has(id))
    .map((id) => `${id} is named by an attack, but compat/attacks/advisories.ts does not list it`);
  return [...open, ...unknown];
}

function attackTable(): string {
  const rows = attacks.map(({ id, threat, heldBy }) => `| ${cell(threat)} | ${cell(heldBy)} | \`${id}\` |`);
  return ["| threat | held by | test |", "|---|---|---|", ...rows].join("\n");
}

function advisoryTable(): string {
  const rows = advisories.map(({ id, project, problem, notHere }) => {
    const own = attacks.filter((attack) => attack.advisories?.includes(id)).map(nameOf);
    return `| ${id} | ${project} | ${cell(problem)} | ${own.length > 0 ? own.join(", ") : cell(notHere ?? "")} |`;
  });
  return ["| advisory | of | what went wrong there | here |", "|---|---|---|---|", ...rows].join("\n");
}

function nameOf({ id }: Attack): string {
  return `\`${id}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function replaceBetween(text: string, [begin, end]: readonly [string, string], table: string): string {
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/security.md has no ${begin.trim()} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${table}\n\n${text.slice(to)}`;
}
