import { runeBytes, toBytes } from "../values/utf8.ts";

type Unquoted = { value: string } | { problem: string };

const simple: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "\n": "",
};

/** What stands between the quotes of a literal, as bytes (go.starlark.net, syntax/quote.go). */
export function unquote(
  chars: readonly string[],
  { isRaw, isBytes }: { isRaw: boolean; isBytes: boolean },
): Unquoted {
  if (isRaw || !chars.includes("\\")) return { value: toBytes(chars.join("")) };
  let value = "";
  for (let at = 0; at < chars.length; ) {
    const char = chars[at++] ?? "";
    if (char !== "\\") {
      value += toBytes(char);
      continue;
    }
    const next = chars[at] ?? "";
    const known = simple[next];
    const escaped = known === undefined ? readEscape(chars, at, isBytes) : { bytes: known, length: 1 };
    if ("problem" in escaped) return escaped;
    value += escaped.bytes;
    at += escaped.length;
  }
  return { value };
}

type Escape = { bytes: string; length: number } | { problem: string };

function readEscape(chars: readonly string[], at: number, isBytes: boolean): Escape {
  const kind = chars[at] ?? "";
  if (/[0-7]/.test(kind)) return readOctal(chars, at, isBytes);
  const width = { x: 2, u: 4, U: 8 }[kind];
  if (width === undefined) return { problem: `invalid escape sequence \\${kind}` };
  const digits = chars.slice(at + 1, at + 1 + width).join("");
  const shown = `\\${kind}${digits}`;
  if (digits.length < width) return { problem: `truncated escape sequence ${shown}` };
  if (!/^[0-9a-fA-F]+$/.test(digits)) return { problem: `invalid escape sequence ${shown}` };
  const code = Number.parseInt(digits, 16);
  if (kind === "x") {
    if (!isBytes && code > 127) return { problem: beyondAscii("hex", shown, code) };
    return { bytes: String.fromCharCode(code), length: 3 };
  }
  if (code > 0x10ffff)
    return { problem: `code point out of range: ${shown} (max \\U${digits.toLowerCase()})` };
  if (code >= 0xd800 && code <= 0xdfff) return { problem: `invalid Unicode code point U+${hex(code)}` };
  return { bytes: runeBytes(code), length: width + 1 };
}

function readOctal(chars: readonly string[], at: number, isBytes: boolean): Escape {
  const digits = /^[0-7]{1,3}/.exec(chars.slice(at, at + 3).join(""))?.[0] ?? "";
  const code = Number.parseInt(digits, 8);
  if (!isBytes && code > 127) return { problem: beyondAscii("octal", `\\${digits}`, code) };
  if (code >= 256) return { problem: `invalid escape sequence \\${digits}` };
  return { bytes: String.fromCharCode(code), length: digits.length };
}

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");

function beyondAscii(kind: string, shown: string, code: number): string {
  return `non-ASCII ${kind} escape ${shown} (use \\u${hex(code)} for the UTF-8 encoding of U+${hex(code)})`;
}
