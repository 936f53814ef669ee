import { runesOf } from "../values/utf8.ts";
import { isSpace } from "./runes.ts";

/** Fields between white space; with a limit, the last of them (or the first) runs to the end of the text. */
export function splitSpace(text: string, most: number, isFromEnd: boolean): string[] {
  const fields: Field[] = [];
  let from = -1;
  for (const { code, at } of runesOf(text)) {
    const space = isSpace(code);
    if (!space && from < 0) from = at;
    if (space && from >= 0) {
      fields.push({ from, to: at });
      from = -1;
    }
  }
  if (from >= 0) fields.push({ from, to: text.length });
  if (most < 0 || fields.length <= most) return fields.map((field) => text.slice(field.from, field.to));
  return isFromEnd ? lastFields(text, fields, most) : firstFields(text, fields, most);
}

interface Field {
  from: number;
  to: number;
}

function firstFields(text: string, fields: readonly Field[], most: number): string[] {
  const rest = fields[most];
  const cut = fields.slice(0, most).map(({ from, to }) => text.slice(from, to));
  return rest ? [...cut, text.slice(rest.from)] : cut;
}

function lastFields(text: string, fields: readonly Field[], most: number): string[] {
  const rest = fields[fields.length - most - 1];
  const cut = fields.slice(fields.length - most).map(({ from, to }) => text.slice(from, to));
  return rest ? [text.slice(0, rest.to), ...cut] : cut;
}

/** Pieces between a separator. */
export function splitAt(
  text: string,
  separator: string,
  { most, isFromEnd }: { most: number; isFromEnd: boolean },
): string[] {
  const pieces = text.split(separator);
  const excess = pieces.length - 1 - most;
  if (most < 0 || excess <= 0) return pieces;
  if (isFromEnd) return [pieces.slice(0, excess + 1).join(separator), ...pieces.slice(excess + 1)];
  return [...pieces.slice(0, most), pieces.slice(most).join(separator)];
}
