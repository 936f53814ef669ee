import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestRef {
  /** Below the root. */
  readonly file: string;
  readonly name: string;
}

/** Where it is said that we do otherwise. */
export interface PageRef {
  readonly page: string;
  readonly words: string;
}

export interface Row {
  readonly section: string;
  readonly digest: string;
  /** By a name of our own. */
  readonly rule: string;
  readonly tests: readonly TestRef[];
  readonly pages: readonly PageRef[];
}

export const root = join(import.meta.dirname, "../..");

const fileOf = (short: string): string => {
  const [first = "", ...rest] = short.split("/");
  if (first === "rows") return `compat/sync-rows/${rest.join("/")}.test.ts`;
  return `packages/${first}/src/${rest.join("/")}.test.ts`;
};

/** What rows.txt says. */
export function readRows(text = readFileSync(join(import.meta.dirname, "rows.txt"), "utf8")): Row[] {
  const rows: (Row & { tests: TestRef[]; pages: PageRef[] })[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue;
    if (line.startsWith("## ")) {
      section = line.slice(3);
      continue;
    }
    const row = /^([0-9a-f]{6}) (.+)$/.exec(line);
    if (row) rows.push({ section, digest: row[1] ?? "", rule: row[2] ?? "", tests: [], pages: [] });
    const page = /^ {2}differs ([^:]+): (.+)$/.exec(line);
    const ref = page ? undefined : /^ {2}([\w./-]+): (.+)$/.exec(line);
    if (page) rows.at(-1)?.pages.push({ page: page[1] ?? "", words: page[2] ?? "" });
    else if (ref) rows.at(-1)?.tests.push({ file: fileOf(ref[1] ?? ""), name: ref[2] ?? "" });
    else if (!row) throw new Error(`rows.txt: neither a row nor what shows it: ${line}`);
  }
  return rows;
}

/** What is wrong with what a row names; undefined where it is there. */
export function lackOf(row: Row): string | undefined {
  const { tests, pages } = row;
  if (tests.length === 0 && pages.length === 0) return "nothing shows it";
  for (const { file, name } of tests) if (!hasTest(file, name)) return `${file} has no test "${name}"`;
  for (const { page, words } of pages) {
    const text = existsSync(join(root, page)) ? readFileSync(join(root, page), "utf8") : "";
    if (!text.replaceAll(/\s+/g, " ").includes(words)) return `${page} does not say "${words}"`;
  }
  return undefined;
}

const titles = /\b(?:test\(|name: )\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`|(\w+),)/g;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** By its words, or by a template's, of which the first part stands elsewhere in the file. */
function hasTest(file: string, name: string): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const source = readFileSync(path, "utf8");
  return [...source.matchAll(titles)].some(([, plain, template, variable]) => {
    if (plain !== undefined) return plain === name;
    if (variable !== undefined) return source.includes(JSON.stringify(name));
    const pattern = (template ?? "")
      .split(/\$\{[^}]*\}/)
      .map(escaped)
      .join("(.+)");
    const parts = new RegExp(`^${pattern}$`).exec(name)?.slice(1) ?? [];
    return parts.length > 0 && source.includes(parts[0] ?? "");
  });
}
