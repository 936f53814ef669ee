import { replacement, runesOf } from "./utf8.ts";

const short: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Go's unicode.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** A literal that gives the string (go.starlark.net, syntax.Quote). */
export function quote(bytes: string): string {
  let text = '"';
  for (const { code, size, at } of runesOf(bytes)) {
    const raw = bytes.slice(at, at + size);
    const known = short[raw];
    if (known !== undefined) text += known;
    else if (code === replacement && size === 1) text += `\\x${hex(bytes.charCodeAt(at), 2)}`;
    else if (printable.test(String.fromCodePoint(code))) text += raw;
    else if (code < 0x20 || code === 0x7f) text += `\\x${hex(code, 2)}`;
    else text += code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  }
  return `${text}"`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, "0");
