import { JsonnetError, type Location } from "./jsonnet-error.ts";

/** What reading strings needs of the cursor. */
interface Position {
  readonly text: string;
  offset: number;
  location(): Location;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** "…", '…', and verbatim @"…" and @'…' in which only the doubled quote is special. */
export function readString(cursor: Position): string {
  const at = cursor.location();
  const verbatim = cursor.text[cursor.offset] === "@";
  const open = cursor.offset + (verbatim ? 1 : 0);
  const quote = cursor.text[open] ?? "";
  if (quote !== '"' && quote !== "'") throw new JsonnetError("expected a quote after @", at);
  let value = "";
  for (let offset = open + 1; offset < cursor.text.length; offset += 1) {
    const character = cursor.text[offset] ?? "";
    if (character === quote) {
      if (!verbatim || cursor.text[offset + 1] !== quote) {
        cursor.offset = offset + 1;
        return value;
      }
      offset += 1;
      value += quote;
    } else if (character === "\\" && !verbatim) {
      const { text, length } = readEscape(cursor.text, offset, at);
      value += text;
      offset += length - 1;
    } else value += character;
  }
  throw new JsonnetError("the string is not closed", at);
}

function readEscape(text: string, offset: number, at: Location): { text: string; length: number } {
  const letter = text[offset + 1] ?? "";
  const plain = escapes[letter];
  if (plain !== undefined) return { text: plain, length: 2 };
  const digits = text.slice(offset + 2, offset + 6);
  if (letter === "u" && /^[0-9a-fA-F]{4}$/.test(digits))
    return { text: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
  throw new JsonnetError(`unknown escape \\${letter} in a string`, at);
}

/** ||| … |||: the indentation of the first line is taken off every line; |||- drops the last line feed. */
export function readTextBlock(cursor: Position): string {
  const at = cursor.location();
  const head = /\|\|\|(-?)[ \t\r]*\n/y;
  head.lastIndex = cursor.offset;
  const opened = head.exec(cursor.text);
  if (!opened) throw new JsonnetError("a text block starts on the line after |||", at);
  const lines: string[] = [];
  let indent: string | undefined;
  let offset = head.lastIndex;
  while (offset < cursor.text.length) {
    const end = cursor.text.indexOf("\n", offset);
    const line = cursor.text.slice(offset, end < 0 ? undefined : end);
    if (line.trim() !== "" && !(indent === undefined && /^[ \t]*\|\|\|/.test(line)))
      indent ??= /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent === "") throw new JsonnetError("the first line of a text block must be indented", at);
    if (line !== "" && !(indent !== undefined && line.startsWith(indent)) && line.trim() !== "") {
      const close = /^[ \t]*\|\|\|/.exec(line);
      if (!close) throw new JsonnetError("the text block is not closed by |||", at);
      cursor.offset = offset + close[0].length;
      const text = lines.map((one) => `${one}\n`).join("");
      return opened[1] === "-" ? text.replace(/\n$/, "") : text;
    }
    lines.push(indent !== undefined && line.startsWith(indent) ? line.slice(indent.length) : "");
    if (end < 0) break;
    offset = end + 1;
  }
  throw new JsonnetError("the text block is not closed by |||", at);
}
