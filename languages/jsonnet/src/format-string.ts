import { JsonnetError } from "./jsonnet-error.ts";
import { printJson } from "./print-json.ts";
import { JsonnetArray, JsonnetObject, typeOf, type Value } from "./values.ts";

interface Directive {
  name: string | undefined;
  flags: string;
  width: string | undefined;
  precision: string | undefined;
  letter: string;
}

const directive =
  /%(?:\((?<name>[^)]*)\))?(?<flags>[#0\- +]*)(?<width>\d+|\*)?(?:\.(?<precision>\d+|\*))?[hlL]?(?<letter>[diouxXeEfFgGcs%])/g;

/** Python's % formatting as std.format defines it. */
export function formatString(format: string, given: Value): string {
  const values = given instanceof JsonnetArray ? given.values() : [given];
  let used = 0;
  const next = (): Value => {
    const value = values[used];
    used += 1;
    if (value === undefined)
      throw new JsonnetError(`not enough values to format: expected at least ${used}, got ${values.length}`);
    return value;
  };
  let end = 0;
  let result = "";
  for (const found of format.matchAll(directive)) {
    const between = format.slice(end, found.index);
    if (between.includes("%"))
      throw new JsonnetError(`unrecognised conversion in format ${JSON.stringify(format)}`);
    end = found.index + found[0].length;
    result += between + formatOne(readDirective(found.groups), given, next);
  }
  const rest = format.slice(end);
  if (rest.includes("%"))
    throw new JsonnetError(`unrecognised or truncated conversion in format ${JSON.stringify(format)}`);
  if (!(given instanceof JsonnetObject) && used < values.length)
    throw new JsonnetError(`too many values to format: ${values.length}, expected ${used}`);
  return result + rest;
}

function readDirective(groups: Record<string, string> | undefined): Directive {
  const { name, flags = "", width, precision, letter = "s" } = groups ?? {};
  return { name, flags, width, precision, letter };
}

function formatOne(one: Directive, given: Value, next: () => Value): string {
  const count = (text: string | undefined): number | undefined => {
    if (text !== "*") return text === undefined ? undefined : Number(text);
    const value = next();
    if (typeof value !== "number")
      throw new JsonnetError(`* in a format needs a number, got ${typeOf(value)}`);
    return value;
  };
  const width = count(one.width) ?? 0;
  const precision = count(one.precision);
  if (one.letter === "%") return pad("%", width, one.flags);
  const value = one.name === undefined ? next() : fieldOf(given, one.name);
  if (one.letter === "s") {
    const text = typeof value === "string" ? value : printJson(value);
    return pad(precision === undefined ? text : text.slice(0, precision), width, one.flags.replace("0", ""));
  }
  if (one.letter === "c") return pad(characterOf(value), width, one.flags.replace("0", ""));
  if (typeof value !== "number")
    throw new JsonnetError(`format %${one.letter} needs a number, got ${typeOf(value)}`);
  return formatNumber(value, { ...one, widthCount: width, digits: precision });
}

function fieldOf(given: Value, name: string): Value {
  if (!(given instanceof JsonnetObject))
    throw new JsonnetError(`format %(${name}) needs an object, got ${typeOf(given)}`);
  const value = given.get(name);
  if (value === undefined) throw new JsonnetError(`no such field to format: ${name}`);
  return value;
}

function characterOf(value: Value): string {
  if (typeof value === "number") return String.fromCodePoint(value);
  if (typeof value === "string" && Array.from(value).length === 1) return value;
  throw new JsonnetError("format %c needs one character or a code point");
}

function pad(text: string, width: number, flags: string): string {
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width);
}

function formatNumber(
  value: number,
  one: Directive & { widthCount: number; digits: number | undefined },
): string {
  const magnitude = Math.abs(value);
  const body = bodyOf(magnitude, one);
  const isNegative = value < 0 && !(/[diuoxX]/.test(one.letter) && Math.trunc(value) === 0);
  const sign = isNegative ? "-" : one.flags.includes("+") ? "+" : one.flags.includes(" ") ? " " : "";
  if (one.flags.includes("0") && !one.flags.includes("-"))
    return sign + body.padStart(one.widthCount - sign.length, "0");
  return pad(sign + body, one.widthCount, one.flags);
}

function bodyOf(
  magnitude: number,
  { letter, flags, digits }: Directive & { digits: number | undefined },
): string {
  const alternate = flags.includes("#");
  const whole = (radix: number, prefix: string): string =>
    (alternate ? prefix : "") +
    BigInt(Math.floor(magnitude))
      .toString(radix)
      .padStart(digits ?? 0, "0");
  switch (letter) {
    case "o":
      return whole(8, "0");
    case "x":
      return whole(16, "0x");
    case "X":
      return whole(16, "0X").toUpperCase();
    case "e":
    case "E":
      return cased(exponential(magnitude, digits ?? 6), letter);
    case "f":
    case "F":
      return magnitude.toFixed(digits ?? 6) + (alternate && digits === 0 ? "." : "");
    case "g":
    case "G":
      return cased(general(magnitude, digits ?? 6, alternate), letter);
    default:
      return whole(10, "");
  }
}

const cased = (text: string, letter: string): string => (/[A-Z]/.test(letter) ? text.toUpperCase() : text);

function exponential(magnitude: number, digits: number): string {
  return magnitude.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
}

function general(magnitude: number, digits: number, alternate: boolean): string {
  const precision = Math.max(digits, 1);
  const exponent = magnitude === 0 ? 0 : Math.floor(Math.log10(magnitude));
  const text =
    exponent < -4 || exponent >= precision
      ? exponential(magnitude, precision - 1)
      : magnitude.toFixed(Math.max(precision - 1 - exponent, 0));
  if (alternate) return text;
  return text.replace(/(\.\d*?)0+(e|$)/, "$1$2").replace(/\.(e|$)/, "$1");
}
