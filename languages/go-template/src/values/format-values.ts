import { printFloat, quoteGo } from "@capstan/formats";
import { printBinaryFloat } from "./binary-float.ts";
import { printValue } from "./print-value.ts";
import { GoInt, GoList, GoMap, kindName, type Spend, textOfBytes, typeName, type Value } from "./value.ts";

interface Verb {
  readonly verb: string;
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly spend: Spend;
}

const directive = /%([+\-# 0]*)((?:\[\d*\])?\*|\d*)(?:\.((?:\[\d*\])?\*|\d*))?(\[[^\]]*\])?([\s\S]?)/gu;
/** Go's limit of a width and of a precision. */
const mostWidth = 1_000_000;

/** fmt.Sprintf. `spend` counts each part as it is made: a short format can ask for a long text many times. */
export function formatValues(format: string, values: readonly Value[], spend: Spend): string {
  let next = 0;
  let isReordered = false;
  const text = format.replace(directive, (...found) => {
    const [, flags = "", width = "", precision, index, verb = ""]: readonly (string | undefined)[] = found;
    const wide = sizeFrom(width);
    const exact = precision === undefined ? undefined : (sizeFrom(precision) ?? 0);
    if (wide === "bad") return "%!(BADWIDTH)";
    if (exact === "bad") return "%!(BADPREC)";
    const isGood = index === undefined || seek(index);
    if (verb === "") return "%!(NOVERB)";
    if (verb === "%") return "%";
    if (!isGood) return `%!${verb}(BADINDEX)`;
    if (next >= values.length) return `%!${verb}(MISSING)`;
    const isLeft = flags.includes("-") || (wide !== undefined && wide < 0);
    const aligned = isLeft ? `${flags.replaceAll("0", "")}-` : flags;
    const usedFlags = verb === "v" ? aligned.replaceAll("+", "") : aligned;
    const size = wide === undefined ? undefined : Math.abs(wide);
    return formatValue(values[next++], { verb, flags: usedFlags, width: size, precision: exact, spend });
  });
  if (isReordered || next >= values.length) return text;
  const extra = values.slice(next).map((one) => {
    return one === null || one === undefined ? "<nil>" : `${typeName(one)}=${printValue(one, spend)}`;
  });
  return `${text}%!(EXTRA ${extra.join(", ")})`;

  /** Digits, or the next value where there is a star. */
  function sizeFrom(text: string): number | undefined | "bad" {
    if (text === "") return undefined;
    if (!text.endsWith("*")) return Number(text) > mostWidth ? "bad" : Number(text);
    if (text.startsWith("[") && !seek(text.slice(0, -1))) return "bad";
    const value = values[next++];
    const size = value instanceof GoInt ? Number(value.value) : Number.NaN;
    return Math.abs(size) <= mostWidth ? size : "bad";
  }

  /** `[3]`. */
  function seek(index: string): boolean {
    isReordered = true;
    const wanted = Number(/^\[(\d+)\]$/.exec(index)?.[1] ?? 0);
    if (wanted < 1 || wanted > values.length) return false;
    next = wanted - 1;
    return true;
  }
}

function formatValue(value: Value, how: Verb): string {
  const { verb, flags, spend } = how;
  spend(1);
  if (verb === "T" && value !== null && value !== undefined)
    return formatText(typeName(value), { ...how, verb: "s" }) ?? "";
  if (value === undefined || value === null)
    return /[vT]/.test(verb) ? pad("<nil>", how) : `%!${verb}(<nil>)`;
  const bytes = /[sqxX]/.test(verb) ? textOfBytes(value) : undefined;
  if (bytes !== undefined) return formatText(bytes, how) ?? "";
  if (value instanceof GoList && verb !== "p")
    return `[${value.items.map((one) => formatInner(one, how)).join(" ")}]`;
  if (value instanceof GoMap && verb !== "p") return formatMap(value, how);
  const text = formatScalar(value, how);
  spend(text?.length ?? 0);
  return (
    text ??
    `%!${verb}(${typeName(value)}=${formatValue(value, { ...how, verb: "v", flags: flags.replaceAll("#", "") })})`
  );
}

/** Within a list or map nil is nil, whatever the verb. */
const formatInner = (value: Value, how: Verb): string =>
  value === null || value === undefined ? "<nil>" : formatValue(value, how);

function formatMap(value: GoMap, how: Verb): string {
  const parts = value
    .sortedKeys(how.spend)
    .map((key) => `${formatValue(key, how)}:${formatInner(value.entries.get(key), how)}`);
  return `map[${parts.join(" ")}]`;
}

function formatScalar(value: Exclude<Value, undefined | null>, how: Verb): string | undefined {
  const isText = !(value instanceof GoInt) || kindName(value) !== value.type;
  if (typeof value === "boolean") return /[tv]/.test(how.verb) ? pad(String(value), how) : undefined;
  if (typeof value === "number") return formatFloat(value, how);
  if (value instanceof GoInt && (!isText || !/[vsxXq]/.test(how.verb))) return formatInt(value.value, how);
  return formatText(typeof value === "string" ? value : printValue(value, how.spend), how);
}

function formatText(text: string, how: Verb): string | undefined {
  const { verb, precision, flags } = how;
  const cut = precision === undefined ? text : [...text].slice(0, precision).join("");
  if (verb === "v" && flags.includes("#")) return pad(quoteGo(cut), how);
  if (verb === "v" || verb === "s") return pad(cut, how);
  if (verb === "q") {
    const isRaw = flags.includes("#") && !/[`\p{C}]/u.test(cut.replaceAll("\t", ""));
    return pad(isRaw ? `\`${cut}\`` : quoted(cut, how), how);
  }
  if (verb !== "x" && verb !== "X") return undefined;
  const bytes = Buffer.from(text).subarray(0, precision);
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  const prefix = flags.includes("#") ? "0x" : "";
  const hex = flags.includes(" ") ? digits.map((one) => prefix + one).join(" ") : prefix + digits.join("");
  return pad(bytes.length === 0 ? "" : verb === "X" ? hex.toUpperCase() : hex, how);
}

/** With the flag + in ASCII alone. */
function quoted(text: string, { flags }: Verb, quote?: "'"): string {
  const whole = quoteGo(text, quote);
  if (!flags.includes("+")) return whole;
  return whole.replace(/[^\0-\x7f]/gu, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

function formatInt(value: bigint, how: Verb): string | undefined {
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
  const shown = how.flags.includes("#") && isRune ? `${code} '${char}'` : code;
  return pad(shown, { ...how, flags: how.flags.replaceAll("0", "") });
}

function formatFloat(value: number, how: Verb): string | undefined {
  const { verb, flags, precision } = how;
  const kind = { v: "g", g: "g", G: "g", e: "e", E: "e", f: "f", F: "f" }[verb];
  let text = "";
  if (verb === "b" || verb === "x" || verb === "X") text = printBinaryFloat(value, verb, precision);
  else if (kind !== "e" && kind !== "f" && kind !== "g") return undefined;
  else text = printFloat(value, kind, precision ?? (kind === "g" ? -1 : 6));
  if (verb === "G" || verb === "E") text = text.toUpperCase();
  const [, given = "", size = text] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const sign = given === "-" ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  // Go shows the sign of an infinity always.
  const shown = given === "+" && sign === "" ? "+" : sign;
  if (!flags.includes("0") || !Number.isFinite(value))
    return pad(shown + size, { ...how, flags: flags.replaceAll("0", "") });
  return shown + size.padStart((how.width ?? 0) - shown.length, "0");
}

function pad(text: string, { width = 0, flags }: Verb): string {
  const lacking = width - [...text].length;
  if (lacking <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(lacking);
  return (flags.includes("0") ? "0" : " ").repeat(lacking) + text;
}
