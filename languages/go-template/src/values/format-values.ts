import { formatFloat, formatInt, formatText, pad, type Verb } from "./format-scalars.ts";
import { formatTime, formatVersion, timeInSource } from "./format-structs.ts";
import { printValue } from "./print-value.ts";
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
  if (value instanceof GoTime && verb !== "p" && (how.isBare || !/[vsqxX]/.test(verb)))
    return formatTime(value, how);
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
