import { quoteGo } from "@capstan/formats";

/**
 * Texts by their bytes, as Go has strings. A byte that is no UTF-8, as in half of a character, stands in a text as a
 * lone surrogate from U+DC80 to U+DCFF; in what is shown it is U+FFFD.
 */

const loneByte = /[\udc80-\udcff]/u;
const loneBytes = /[\udc80-\udcff]/gu;
const byteMark = 0xdc00;

export function bytesOf(text: string): Buffer {
  if (text.isWellFormed() || !loneByte.test(text)) return Buffer.from(text);
  const parts: Buffer[] = [];
  let from = 0;
  for (const { index, 0: lone } of text.matchAll(loneBytes)) {
    parts.push(Buffer.from(text.slice(from, index)), Buffer.of(lone.charCodeAt(0) - byteMark));
    from = index + 1;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

export function textOf(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  if (!whole.includes("\ufffd")) return whole;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const size = sizeOfChar(bytes, at);
    const first = bytes[at] ?? 0;
    text +=
      size === 0 ? String.fromCharCode(byteMark + first) : decoder.decode(bytes.subarray(at, at + size));
    at += Math.max(size, 1);
  }
  return text;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes of the character that begins there; 0: none does. */
function sizeOfChar(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const size =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size < 2) return size;
  try {
    return strict.decode(bytes.subarray(at, at + size)).length > 0 && at + size <= bytes.length ? size : 0;
  } catch {
    // It is half of one: what follows is looked at by itself.
    return 0;
  }
}

/** What functions made: two halves that stand beside each other again are one character. */
export const rejoined = (text: string): string => (text.isWellFormed() ? text : textOf(bytesOf(text)));

/** As it is shown. */
export const shownText = (text: string): string => rejoined(text).toWellFormed();

/** strconv.Quote, and QuoteRune with the other mark. */
export function quoteText(text: string, mark?: "'"): string {
  const quoted = quoteGo(text, mark);
  if (text.isWellFormed()) return quoted;
  return quoted.replace(/\\\\|\\udc([89a-f][0-9a-f])/g, (whole, hex: string | undefined) =>
    hex === undefined ? whole : `\\x${hex}`,
  );
}

export const byteLength = (text: string): number =>
  text.isWellFormed() ? Buffer.byteLength(text) : bytesOf(text).length;

/** `text[from:to]`; throws as Go where that is out of range. */
export function cutBytes(text: string, from: number, to = byteLength(text)): string {
  const bytes = bytesOf(text);
  if (to < 0 || to > bytes.length)
    throw new RangeError(
      `runtime error: slice bounds out of range [:${to}]${to < 0 ? "" : ` with length ${bytes.length}`}`,
    );
  if (from < 0 || from > to)
    throw new RangeError(`runtime error: slice bounds out of range [${from}:${from < 0 ? "" : to}]`);
  return textOf(bytes.subarray(from, to));
}
