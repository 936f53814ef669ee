import { type Plain, str } from "./encrypted-file.ts";

const int = /^[-+]?(0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[1-9][0-9_]*|0)$/;
const float = /^[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/;
const infinity = /^([-+]?)\.(inf|Inf|INF)$/;
const date = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const time =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(\.\d+)?[ \t]*(Z|[-+]\d{1,2}(?::?\d{2})?)?$/;

/** What go-yaml makes of a plain scalar (v3 resolve.go); undefined: null. */
export function readGoScalar(text: string): Plain | undefined {
  if (/^(~|null|Null|NULL)?$/.test(text)) return undefined;
  if (/^(true|True|TRUE)$/.test(text)) return plain("bool", "True");
  if (/^(false|False|FALSE)$/.test(text)) return plain("bool", "False");
  if (int.test(text)) return readInt(text);
  const [, sign, isInfinite] = infinity.exec(text) ?? [];
  if (isInfinite) return plain("float", sign === "-" ? "-Inf" : "+Inf");
  if (/^\.(nan|NaN|NAN)$/.test(text)) return plain("float", "NaN");
  if (float.test(text)) return plain("float", printGoFloat(Number(text.replaceAll("_", ""))));
  return readTime(text) ?? str(text);
}

function plain(type: Plain["type"], text: string): Plain {
  return { type, bytes: Buffer.from(text) };
}

function readInt(text: string): Plain {
  const digits = text.replaceAll("_", "");
  const isNegative = digits.startsWith("-");
  const bare = digits.replace(/^[-+]/, "").replace(/^0(?=[0-7]+$)/, "0o");
  const value = BigInt(bare);
  return plain("int", String(isNegative ? -value : value));
}

/** strconv.FormatFloat(value, 'f', -1, 64): shortest digits, never an exponent. */
export function printGoFloat(value: number): string {
  const text = String(value);
  const [, sign = "", whole = "", fraction = "", exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([-+]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return Object.is(value, -0) ? "-0" : text;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, "0");
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** As time.Time's MarshalText: RFC 3339 with the fraction's end zeros gone. */
function readTime(text: string): Plain | undefined {
  const day = date.exec(text);
  if (day) return plain("time", `${ymd(day)}T00:00:00Z`);
  const parts = time.exec(text);
  if (!parts) return undefined;
  const [, , , , hour = "", minute, second, fraction = "", zone = "Z"] = parts;
  const trimmed = fraction.replace(/0+$/, "").replace(/^\.$/, "");
  return plain("time", `${ymd(parts)}T${hour.padStart(2, "0")}:${minute}:${second}${trimmed}${zoneOf(zone)}`);
}

function ymd([, year = "", month = "", day = ""]: readonly string[]): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function zoneOf(zone: string): string {
  if (zone === "Z") return zone;
  const digits = zone.slice(1).replace(":", "");
  const padded = digits.length <= 2 ? `${digits.padStart(2, "0")}00` : digits.padStart(4, "0");
  const shown = `${zone[0]}${padded.slice(0, 2)}:${padded.slice(2)}`;
  return padded === "0000" ? "Z" : shown;
}
