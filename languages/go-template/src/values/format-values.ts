import { floorSeconds, formatGoTime, printFloat } from "@capstan/formats";
import { printBinaryFloat } from "./binary-float.ts";
import { printValue } from "./print-value.ts";
import { bytesOf, quoteText } from "./text-bytes.ts";
import {
  GoInt,
  GoList,
  GoMap,
  GoTime,
  GoVersion,
  kindName,
  NilList,
  NilMap,
  type Spend,
  textOfBytes,
  typeName,
  type Value,
} from "./value.ts";

interface Verb {
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
    const isGoSyntax = verb === "v" && flags.includes("#");
    const usedFlags = verb === "v" ? aligned.replace(/[+#]/g, "") : aligned;
    const size = wide === undefined ? undefined : Math.abs(wide);
    const how = { verb, flags: usedFlags, width: size, precision: exact, isGoSyntax, spend };
    return formatValue(values[next++], how);
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
  const { verb, spend } = how;
  spend(1);
  if (verb === "T" && value !== null && value !== undefined)
    return formatText(typeName(value), { ...how, verb: "s" }) ?? "";
  if (value === undefined || value === null)
    return /[vT]/.test(verb) ? pad("<nil>", how) : `%!${verb}(<nil>)`;
  const bytes = /[sqxX]/.test(verb) ? textOfBytes(value) : undefined;
  if (bytes !== undefined) return formatText(bytes, how) ?? "";
  if (value instanceof GoList && verb !== "p") return formatList(value, how);
  if (value instanceof GoMap && verb !== "p") return formatMap(value, how);
  if (value instanceof GoVersion && (how.isGoSyntax || !/[vsqxXp]/.test(verb)))
    return formatVersion(value, how);
  const text = formatScalar(value, how);
  spend(text?.length ?? 0);
  return text ?? `%!${verb}(${typeName(value)}=${formatValue(value, { ...how, verb: "v", isBare: true })})`;
}

/** Within a list or map nil is nil, whatever the verb, and what is pointed to is not looked into. */
function formatInner(value: Value, how: Verb): string {
  if (value instanceof GoVersion && !/[vsqxXpbod]/.test(how.verb))
    return `%!${how.verb}(${typeName(value)}=${formatVersion(value, { ...how, verb: "v" })})`;
  if (value !== null && value !== undefined) return formatValue(value, how);
  return how.isGoSyntax ? "interface {}(nil)" : "<nil>";
}

function formatList(value: GoList, how: Verb): string {
  const parts = value.items.map((one) => formatInner(one, how));
  if (!how.isGoSyntax) return `[${parts.join(" ")}]`;
  const type = value.element === "uint8" ? "[]byte" : typeName(value);
  return value instanceof NilList ? `${type}(nil)` : `${type}{${parts.join(", ")}}`;
}

function formatMap(value: GoMap, how: Verb): string {
  const parts = value
    .sortedKeys(how.spend)
    .map((key) => `${formatValue(key, how)}:${formatInner(value.entries.get(key), how)}`);
  if (!how.isGoSyntax) return `map[${parts.join(" ")}]`;
  return value instanceof NilMap ? `${typeName(value)}(nil)` : `${typeName(value)}{${parts.join(", ")}}`;
}

function formatScalar(value: Exclude<Value, undefined | null>, how: Verb): string | undefined {
  const { verb, isGoSyntax = false, isBare = false } = how;
  if (typeof value === "boolean") return /[tv]/.test(verb) ? pad(String(value), how) : undefined;
  if (typeof value === "number") return formatFloat(value, how);
  if (value instanceof GoInt) {
    if (isGoSyntax && value.type === "uint8")
      return formatInt(value.value, { ...how, verb: "x", flags: `${how.flags}#` });
    const saysItself = kindName(value) !== value.type && !isGoSyntax && !isBare && /[vsxXq]/.test(verb);
    if (!saysItself) return formatInt(value.value, how);
  }
  if (value instanceof GoTime && isGoSyntax)
    return formatText(timeInSource(value), { ...how, isGoSyntax: false });
  return formatText(typeof value === "string" ? value : printValue(value, how.spend), how);
}

/** The struct itself: of the verbs that do not fit a text, no value says itself what it is. */
function formatVersion(version: GoVersion, how: Verb): string {
  const { verb, isGoSyntax } = how;
  const printed = (type: string, print: (one: Verb) => string | undefined): string =>
    print(how) ?? `%!${verb}(${type}=${print({ ...how, verb: "v" }) ?? ""})`;
  const number = (value: number): string =>
    isGoSyntax ? `0x${value.toString(16)}` : printed("uint64", (one) => formatInt(BigInt(value), one));
  const { major, minor, patch, prerelease: pre, metadata, original } = version;
  const fields = Object.entries({ major, minor, patch, pre, metadata, original }).map(([name, value]) => {
    const text =
      typeof value === "number" ? number(value) : printed("string", (one) => formatText(value, one));
    return isGoSyntax ? `${name}:${text}` : text;
  });
  return isGoSyntax ? `&semver.Version{${fields.join(", ")}}` : `&{${fields.join(" ")}}`;
}

/** time.Time's GoString, of a moment in UTC. */
function timeInSource(value: GoTime): string {
  const [year, month, day, hour, minute, second] = formatGoTime(value.clock(), "2006 January 2 15 4 5").split(
    " ",
  );
  const rest = [
    ...[day, hour, minute, second].map(Number),
    value.nanoseconds - floorSeconds(value.nanoseconds) * 1_000_000_000n,
  ];
  return `time.Date(${[Number(year), `time.${month}`, ...rest].join(", ")}, time.UTC)`;
}

function formatText(text: string, how: Verb): string | undefined {
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
  const isShown = how.flags.includes("#") && isRune && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);
  const shown = isShown ? `${code} '${char}'` : code;
  return pad(shown, { ...how, flags: how.flags.replaceAll("0", "") });
}

function formatFloat(value: number, how: Verb): string | undefined {
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

function pad(text: string, { width = 0, flags }: Verb): string {
  const lacking = width - [...text].length;
  if (lacking <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(lacking);
  return (flags.includes("0") ? "0" : " ").repeat(lacking) + text;
}
