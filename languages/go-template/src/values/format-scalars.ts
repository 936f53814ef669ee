import { printFloat } from "@capstan/formats";
import { printBinaryFloat } from "./binary-float.ts";
import { bytesOf, quoteText } from "./text-bytes.ts";
import type { Spend } from "./value.ts";

/** How a value is to be shown: a directive of a format, as `%-5.2f` is one. */
export interface Verb {
  readonly verb: string;
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  /** `%#v`: as it would stand in Go's source. */
  readonly isGoSyntax?: boolean;
  /** Within `%!d(…)`: no value says itself what it is. */
  readonly isBare?: boolean;
  readonly spend: Spend;
}

export function formatText(text: string, how: Verb): string | undefined {
  const { verb, precision, flags, isGoSyntax } = how;
  const cut = precision === undefined ? text : [...text].slice(0, precision).join("");
  if (verb === "v" && isGoSyntax) return pad(quoteText(cut), how);
  if (verb === "v" || verb === "s") return pad(cut, how);
  if (verb === "q") {
    const isRaw = flags.includes("#") && cut.isWellFormed() && !/[`\p{C}]/u.test(cut.replaceAll("\t", ""));
    return pad(isRaw ? `\`${cut}\`` : quoted(cut, how), how);
  }
  if (verb !== "x" && verb !== "X") return undefined;
  const bytes = bytesOf(text).subarray(0, precision);
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const prefix = flags.includes("#") ? "0x" : "";
  const hex = flags.includes(" ") ? digits.map((one) => prefix + one).join(" ") : prefix + digits.join("");
  return pad(bytes.length === 0 ? "" : verb === "X" ? hex.toUpperCase() : hex, how);
}

/** With the flag + in ASCII alone. */
function quoted(text: string, { flags }: Verb, quote?: "'"): string {
  const whole = quoteText(text, quote);
  if (!flags.includes("+")) return whole;
  return whole.replace(/[^\0-\x7f]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

export function formatInt(value: bigint, how: Verb): string | undefined {
  const { verb, flags } = how;
  if (verb === "c" || verb === "q" || verb === "U") return formatRune(value, how);
  const base = bases[verb];
  if (base === undefined) return undefined;
  const size = value < 0n ? -value : value;
  let digits = size.toString(base);
  if (verb === "X") digits = digits.toUpperCase();
  if (how.precision !== undefined) {
    if (how.precision === 0 && value === 0n) return " ".repeat(how.width ?? 0);
    digits = digits.padStart(how.precision, "0");
  }
  const sign = value < 0n ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const marks: Readonly<Record<string, string>> = {
    b: "0b",
    o: digits.startsWith("0") ? "" : "0",
    x: "0x",
    X: "0X",
  };
  const mark = verb === "O" ? "0o" : flags.includes("#") ? (marks[verb] ?? "") : "";
  const isZeroed = flags.includes("0") && how.precision === undefined && how.width !== undefined;
  if (isZeroed) digits = digits.padStart((how.width ?? 0) - sign.length, "0");
  return pad(sign + mark + digits, { ...how, flags: flags.replaceAll("0", "") });
}

function formatRune(value: bigint, how: Verb): string {
  const isRune = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value < 0xe000n);
  const char = isRune ? String.fromCodePoint(Number(value)) : "\ufffd";
  if (how.verb === "c") return pad(char, how);
  if (how.verb === "q") return pad(quoted(char, how, "'"), how);
  const code = `U+${BigInt.asUintN(64, value)
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(how.precision ?? 4, 4), "0")}`;
  const isShown = how.flags.includes("#") && isRune && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);
  const shown = isShown ? `${code} '${char}'` : code;
  return pad(shown, { ...how, flags: how.flags.replaceAll("0", "") });
}

export function formatFloat(value: number, how: Verb): string | undefined {
  const { verb, flags, precision } = how;
  const kind = { v: "g", g: "g", G: "g", e: "e", E: "e", f: "f", F: "f" }[verb];
  let text = "";
  if (verb === "b" || verb === "x" || verb === "X") text = printBinaryFloat(value, verb, precision);
  else if (kind !== "e" && kind !== "f" && kind !== "g") return undefined;
  else text = printFloat(value, kind, precision ?? (kind === "g" ? -1 : 6));
  if (flags.includes("#") && verb !== "b") text = withPoint(text, how);
  if (verb === "G" || verb === "E") text = text.toUpperCase();
  const [, given = "", size = text] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const sign = given === "-" ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  // Go shows the sign of an infinity always.
  const shown = given === "+" && sign === "" ? "+" : sign;
  if (!flags.includes("0") || !Number.isFinite(value))
    return pad(shown + size, { ...how, flags: flags.replaceAll("0", "") });
  return shown + size.padStart((how.width ?? 0) - shown.length, "0");
}

/** The flag # of floats: a point always, and by %g the zeros that were left out (fmt.fmtFloat). */
function withPoint(text: string, { verb, precision = 6 }: Verb): string {
  const exponent = /[xX]/.test(verb) ? /[pP].*$/ : /e.*$/;
  const tail = exponent.exec(text)?.[0] ?? "";
  const number = text.slice(0, text.length - tail.length);
  const digits = number.replace(/^[+-]|\./g, "");
  if (!/^[+-]?\d/.test(number)) return text;
  const wanted = "vgGx".includes(verb) ? precision : 0;
  const used = number.includes(".") || digits !== "0" ? digits.replace(/^0+/, "").length : 1;
  return `${number}${number.includes(".") ? "" : "."}${"0".repeat(Math.max(wanted - used, 0))}${tail}`;
}

export function pad(text: string, { width = 0, flags }: Verb): string {
  const lacking = width - [...text].length;
  if (lacking <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(lacking);
  return (flags.includes("0") ? "0" : " ").repeat(lacking) + text;
}
