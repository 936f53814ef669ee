import { StarlarkError } from "../script-error.ts";

export interface CsvRules {
  comma: string;
  /** Lines that begin with it are left out. */
  comment: string | undefined;
  /** Quotes may stand anywhere. */
  isLazy: boolean;
  /** Space before a field is left out. */
  isTrimmed: boolean;
}

/** Rows of fields (Go's encoding/csv): empty lines are no rows. */
export function parseCsv(source: string, rules: CsvRules): string[][] {
  const text = source.replace(/\r\n?/g, "\n");
  const rows: string[][] = [];
  for (let at = 0, line = 1; at < text.length; line++) {
    const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
    if (end === at || text[at] === rules.comment) {
      at = end + 1;
      continue;
    }
    const row = readRow(text, at, { ...rules, line });
    rows.push(row.fields);
    line += row.lines;
    at = row.next;
  }
  return rows;
}

function readRow(
  text: string,
  from: number,
  rules: CsvRules & { line: number },
): { fields: string[]; next: number; lines: number } {
  const fields: string[] = [];
  let at = from;
  let lines = 0;
  for (;;) {
    while (rules.isTrimmed && (text[at] === " " || text[at] === "\t")) at++;
    const field = text[at] === '"' ? readQuoted(text, at, rules) : readBare(text, at, rules);
    fields.push(field.value);
    lines += field.value.split("\n").length - 1;
    at = field.next;
    if (text[at] !== rules.comma) return { fields, next: at + 1, lines };
    at++;
  }
}

interface Field {
  value: string;
  next: number;
}

function readBare(text: string, from: number, { comma, isLazy, line }: CsvRules & { line: number }): Field {
  let at = from;
  while (at < text.length && text[at] !== comma && text[at] !== "\n") at++;
  const value = text.slice(from, at);
  if (!isLazy && value.includes('"'))
    throw new StarlarkError(
      `parse error on line ${line}, column ${from + value.indexOf('"') + 1}: bare " in non-quoted field`,
    );
  return { value, next: at };
}

function readQuoted(text: string, from: number, { comma, isLazy, line }: CsvRules & { line: number }): Field {
  let value = "";
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at] ?? "";
    const next = text[at + 1];
    if (char !== '"') value += char;
    else if (next === '"') {
      value += char;
      at++;
    } else if (next === undefined || next === comma || next === "\n") return { value, next: at + 1 };
    else if (isLazy) value += char;
    else throw new StarlarkError(`parse error on line ${line}: extraneous or missing " in quoted-field`);
  }
  if (!isLazy)
    throw new StarlarkError(`parse error on line ${line}: extraneous or missing " in quoted-field`);
  return { value, next: text.length };
}
