import { CapstanError } from "@capstan/model";
import { type EncryptedFile, type Leaf, type Plain, str } from "./encrypted-file.ts";
import { unflatten } from "./flat-metadata.ts";

interface Entry {
  /** undefined: a comment, of the section where it comes first, else of the key before it. */
  key: string | undefined;
  value: Plain;
}

interface Section {
  name: string;
  entries: Entry[];
}

const defaultName = "DEFAULT";

/** Sections of keys (stores/ini, which reads and writes through go-ini). */
export function readIniFile(text: string, file: string): EncryptedFile {
  const sections = readSections(text, file);
  const metadata = sections.find(({ name }) => name === "sops");
  const rest = sections.filter(({ name }) => name !== "sops");
  return {
    metadata: metadata && unflatten(metadataEntries(metadata)),
    leaves: () => leavesOf(rest),
    print: () => Buffer.from(rest.map(printSection).join("\n")),
  };
}

function* metadataEntries({ entries }: Section): Generator<readonly [string, string]> {
  for (const { key, value } of entries)
    if (key !== undefined) yield [key, value.bytes.toString().replaceAll("\\n", "\n")];
}

function readSections(text: string, file: string): Section[] {
  let section: Section = { name: defaultName, entries: [] };
  const sections = [section];
  let comment: string[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "") continue;
    if (line.startsWith("#") || line.startsWith(";")) {
      comment.push(line.replace(/^#[# ]*|^;[; ]*/, ""));
      continue;
    }
    const name = /^\[(.*)\]$/.exec(line)?.[1];
    if (name !== undefined) {
      section = { name, entries: commentEntry(comment) };
      sections.push(section);
    } else section.entries.push(readEntry(line, { file, line: index + 1 }), ...commentEntry(comment));
    comment = [];
  }
  return sections.filter(({ name, entries }) => name !== defaultName || entries.length > 0);
}

function commentEntry(lines: readonly string[]): Entry[] {
  if (lines.length === 0) return [];
  return [{ key: undefined, value: { type: "comment", bytes: Buffer.from(lines.join("\n")) } }];
}

function readEntry(line: string, place: { file: string; line: number }): Entry {
  const [, quoted, bare, value = ""] = /^(?:"([^"]*)"|([^=:]+?))\s*[=:]\s*(.*)$/.exec(line) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return { key, value: str(unquote(value)) };
  throw new CapstanError({
    code: "MANIFEST_INVALID",
    ...place,
    problem: "it is neither a section nor a key",
  });
}

function unquote(text: string): string {
  const quoted = /^"""(.*)"""$|^`([^`]*)`$|^"([^"]*)"$|^'([^']*)'$/s.exec(text);
  return quoted ? (quoted[1] ?? quoted[2] ?? quoted[3] ?? quoted[4] ?? "") : text;
}

function* leavesOf(sections: readonly Section[]): Generator<Leaf> {
  for (const { name, entries } of sections) {
    const active: string[] = [];
    const comments = [[], active];
    for (const entry of entries) {
      if (entry.key === undefined) active.push(entry.value.bytes.toString());
      const path = entry.key === undefined ? [name] : [name, entry.key];
      const replace = (value: Plain) => {
        entry.value = value;
      };
      yield { path, comments, value: entry.value, replace };
      if (entry.key !== undefined) active.length = 0;
    }
  }
}

/** Keys padded to one width, a comment before what it belongs to, as go-ini writes. */
function printSection({ name, entries }: Section): string {
  const width = Math.max(0, ...entries.map(({ key = "" }) => key.length));
  const lines: string[] = name === defaultName ? [] : [`[${name}]`];
  for (const { key, value } of entries) {
    const text = value.bytes.toString();
    if (key !== undefined) lines.push(`${key.padEnd(width)} = ${quote(text)}`);
    else lines.splice(-1, 0, ...text.split("\n").map((line) => `; ${line}`));
  }
  return `${lines.join("\n")}\n`;
}

function quote(text: string): string {
  if (/[\n`]/.test(text)) return `"""${text}"""`;
  if (/[#;]/.test(text)) return `\`${text}\``;
  return text.trim() === text ? text : `"${text}"`;
}
