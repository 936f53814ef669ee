/** The table of docs/operators.md: what a run has found, in the order of testenv/operators.json. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Operator } from "../../testenv/operators.ts";

export interface Row {
  readonly name: string;
  readonly verdict: string;
  readonly seconds: string;
  readonly found: readonly string[];
}

const page = join(import.meta.dirname, "../../docs/operators.md");
const [begin, end] = ["<!-- operators -->\n", "<!-- end of operators -->"];
const heading = "| installed | from | with | on both |\n|---|---|---|---|\n";

/** Its lines by name. */
export async function readTable(): Promise<Map<string, string>> {
  const { table } = await readPage();
  const lines = table.split("\n").filter((line) => /^\| `/.test(line));
  return new Map(lines.map((line) => [/`([^`]+)`/.exec(line)?.[1] ?? "", line]));
}

/** Those of these rows anew, the others as they were. */
export async function writeTable(rows: readonly Row[], operators: readonly Operator[]): Promise<void> {
  const lines = await readTable();
  const { before, after } = await readPage();
  for (const operator of operators) {
    const row = rows.find(({ name }) => name === operator.name);
    if (row !== undefined) lines.set(operator.name, lineOf(operator, row));
  }
  const kept = operators.flatMap(({ name }) => lines.get(name) ?? []);
  await writeFile(page, `${before}${begin}${heading}${kept.join("\n")}\n${end}${after}`);
}

export function lineOf({ name, url, commit, kind }: Operator, { verdict, found }: Row): string {
  const from = `${url.replace("https://", "")} ${commit.slice(0, 10)}`;
  const said = found.map((line) => short(line.replaceAll("|", "\\|"))).join("; ");
  return `| \`${name}\` | ${from} | ${kind === "manifests" ? "kubectl" : "helm"} | ${verdict}${said && `: ${said}`} |`;
}

/** Without the places of this machine. */
function short(line: string): string {
  const said = line.replaceAll(/(?<![:/\w])\/(?:[\w.+-]+\/)+/g, "…/");
  return said.length > 200 ? `${said.slice(0, 200)}…` : said;
}

async function readPage(): Promise<{ before: string; table: string; after: string }> {
  const text = await readFile(page, "utf8");
  const [before = "", rest = ""] = text.split(begin);
  const [table = "", after = ""] = rest.split(end);
  return { before, table, after };
}
