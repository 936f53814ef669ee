/**
 * Strings of a script are kept as their UTF-8 bytes, a char for each: length, index and order are those of
 * go.starlark.net, and a broken sequence survives.
 */
export function toBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Every byte that is no part of a sequence becomes U+FFFD. */
export function toText(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (!text.includes("\ufffd")) return text;
  let whole = "";
  for (const { code } of runesOf(bytes)) whole += String.fromCodePoint(code);
  return whole;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is what ASCII is
const beyondAscii = /[^\x00-\x7f]/;

export const isAscii = (text: string): boolean => !beyondAscii.test(text);

export const replacement = 0xfffd;

export interface Rune {
  code: number;
  /** Bytes that it takes. */
  size: number;
}

/** The code point at a byte; U+FFFD of one byte where none is encoded (Go's utf8.DecodeRune). */
export function runeAt(bytes: string, at: number): Rune {
  const first = bytes.charCodeAt(at);
  if (first < 0x80) return { code: first, size: 1 };
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const isBroken = first < 0xc2 || first > 0xf4 || at + size > bytes.length;
  if (isBroken) return { code: replacement, size: 1 };
  let code = first & (0xff >> (size + 1));
  for (let i = 1; i < size; i++) {
    const next = bytes.charCodeAt(at + i);
    if ((next & 0xc0) !== 0x80) return { code: replacement, size: 1 };
    code = (code << 6) | (next & 0x3f);
  }
  const isLong = (size === 3 && code < 0x800) || (size === 4 && (code < 0x10000 || code > 0x10ffff));
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isLong || isSurrogate ? { code: replacement, size: 1 } : { code, size };
}

export function* runesOf(bytes: string): Generator<Rune & { at: number }> {
  for (let at = 0; at < bytes.length; ) {
    const rune = runeAt(bytes, at);
    yield { ...rune, at };
    at += rune.size;
  }
}

/** A code point's bytes; surrogates and numbers beyond Unicode become U+FFFD. */
export function runeBytes(code: number): string {
  const isScalar = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return toBytes(String.fromCodePoint(isScalar ? code : replacement));
}
