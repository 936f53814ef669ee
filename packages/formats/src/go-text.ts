/** Go's literals and numbers as text (packages strconv and fmt). Strings here are of JavaScript: what is no UTF-8 is U+FFFD. */
const short: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};
const long = Object.fromEntries(Object.entries(short).map(([char, written]) => [written[1] ?? "", char]));
/** unicode.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const hex = (code: number, width: number): string => code.toString(16).padStart(width, "0");

/** strconv.Quote, and QuoteRune with the other mark. */
export function quoteGo(text: string, mark: '"' | "'" = '"'): string {
  let quoted = mark as string;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === mark) quoted += `\\${mark}`;
    else if (short[char] !== undefined) quoted += short[char];
    else if (printable.test(char)) quoted += char;
    else if (code < 0x20 || code === 0x7f) quoted += `\\x${hex(code, 2)}`;
    else quoted += code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  }
  return quoted + mark;
}

const escapes =
  /\\(?:([abfnrtv\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(["']))/y;

/** strconv.Unquote of "…", '…' (one character) and `…`; nothing for what is no literal. */
export function unquoteGo(literal: string): string | undefined {
  const mark = literal[0] ?? "";
  if (literal.length < 2 || !literal.endsWith(mark)) return undefined;
  const inner = literal.slice(1, -1);
  if (mark === "`") return inner.includes("`") ? undefined : inner.replaceAll("\r", "");
  if ((mark !== '"' && mark !== "'") || inner.includes("\n")) return undefined;
  const text = readEscapes(inner, mark);
  if (text === undefined) return undefined;
  return mark === '"' || [...text].length === 1 ? text : undefined;
}

/** Escapes may spell the bytes of a character one by one, so that all is decoded together. */
function readEscapes(inner: string, mark: string): string | undefined {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let text = "";
  for (let at = 0; at < inner.length; ) {
    const next = inner.indexOf("\\", at);
    const plain = inner.slice(at, next < 0 ? inner.length : next);
    if (plain.includes(mark)) return undefined;
    if (plain !== "") text += decoder.decode(encoder.encode(plain), { stream: true });
    at += plain.length;
    if (next < 0) break;
    escapes.lastIndex = at;
    const [whole = "", named, x, u, wide, octal, quote] = escapes.exec(inner) ?? [];
    const code = Number.parseInt(u ?? wide ?? "0", 16);
    const byte = x === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(x, 16);
    if (whole === "" || byte > 255 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
    if (quote !== undefined && quote !== mark) return undefined;
    const char = named === undefined ? (quote ?? String.fromCodePoint(code)) : (long[named] ?? "");
    const isByte = x !== undefined || octal !== undefined;
    text += decoder.decode(isByte ? Uint8Array.of(byte) : encoder.encode(char), { stream: true });
    at += whole.length;
  }
  return text + decoder.decode();
}

/**
 * strconv.FormatFloat for 64 bits: `precision` -1 is the shortest text that reads back as the same number.
 * Infinities are "+Inf" and "-Inf".
 */
export function printFloat(value: number, verb: "e" | "f" | "g", precision = -1): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (verb === "e") return sign + (precision < 0 ? scientific(size) : evenly(size, precision, scientific));
  if (verb === "f") return sign + (precision < 0 ? decimal(size) : evenly(size, precision, fixed));
  return sign + general(size, precision);
}

/** As few digits as the precision needs, with an exponent where Go's %g writes one. */
function general(size: number, precision: number): string {
  const wanted = Math.max(precision, 1);
  const text = precision < 0 ? scientific(size) : evenly(size, wanted - 1, scientific);
  const [mantissa = "", exponent = "0"] = text.split("e");
  const digits = mantissa.replace(".", "").replace(/(.)0+$/, "$1");
  const point = Number(exponent) + 1;
  const limit = wanted > digits.length && digits.length >= point ? digits.length : wanted;
  const isLong = point - 1 < -4 || point - 1 >= (precision < 0 ? shortestLimit : limit);
  if (size !== 0 && isLong)
    return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${exponent}`;
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  const whole = digits.slice(0, point).padEnd(point, "0");
  return digits.length > point ? `${whole}.${digits.slice(point)}` : whole;
}

/** From this exponent on the shortest form has one. */
const shortestLimit = 6;
const mostDigits = 100;
/** So many more digits than are wanted tell a tie from what is nearly one. */
const further = 25;

/** JavaScript rounds ties up, Go to the even digit. */
function evenly(size: number, precision: number, print: (size: number, precision: number) => string): string {
  const rounded = print(size, Math.min(precision, mostDigits));
  if (precision + further > mostDigits) return rounded;
  const [exact = "", exponent] = print(size, precision + further).split("e");
  const cut = exact.slice(0, -further);
  if (!/^50*$/.test(exact.slice(-further)) || !/[02468]\.?$/.test(cut)) return rounded;
  return cut.replace(/\.$/, "") + (exponent === undefined ? "" : `e${exponent}`);
}

const scientific = (size: number, precision?: number): string =>
  size.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2");

function fixed(size: number, precision: number): string {
  if (size < 1e21) return size.toFixed(precision);
  return precision > 0 ? `${BigInt(size)}.${"0".repeat(precision)}` : `${BigInt(size)}`;
}

/** The shortest text without an exponent. */
function decimal(size: number): string {
  if (size >= 1e21) return `${BigInt(size)}`;
  if (size >= 1e-6 || size === 0) return String(size);
  const [mantissa = "", exponent = "0"] = size.toExponential().split("e-");
  return `0.${"0".repeat(Number(exponent) - 1)}${mantissa.replace(".", "")}`;
}
