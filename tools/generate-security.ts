/**
 * Writes the tables of docs/security.md from compat/attacks: each threat, what holds it and its test; each published
 * advisory and the attacks of its class. With --check only says whether they agree. An advisory with neither an
 * attack nor a reason why there can be none, or a name that is no listed advisory, fails.
 */
import { advisories } from "../compat/attacks/advisories.ts";
import type { Attack } from "../compat/attacks/attack.ts";
import { readAttacks } from "../compat/attacks/read-attacks.ts";
import { cell, keepSections } from "./page-sections.ts";

const attacks = await readAttacks();
const problems = checkAdvisories();
for (const problem of problems) console.error(problem);
const sections = { attacks: attackTable(), advisories: advisoryTable() };
await keepSections("security.md", sections, `${attacks.length} attacks, ${advisories.length} advisories`);
if (problems.length > 0) process.exitCode = 1;

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
