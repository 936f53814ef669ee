import { toFloat } from "../operators/calculate.ts";
import { smallInt } from "../operators/indices.ts";
import { truncate } from "../operators/truncate.ts";
import { StarlarkError } from "../script-error.ts";
import { StarBytes } from "../values/bytes.ts";
import { display, repr } from "../values/print-value.ts";
import { runeBytes, runesOf, toBytes, toText } from "../values/utf8.ts";
import { isIterable, isTrue, typeOf, type Value } from "../values/value.ts";
import type { Arguments, Native } from "./arguments.ts";
import { readInt } from "./read-int.ts";

export const conversionFunctions: Readonly<Record<string, Native>> = {
  bool: (args) => isTrue(args.take(0, 1).optional(0) ?? false),
  bytes(args) {
    const value = only(args, "exactly 1");
    if (value instanceof StarBytes) return value;
    if (typeof value === "string") return new StarBytes(toBytes(toText(value)));
    if (!isIterable(value)) throw args.error(`got ${typeOf(value)}, want string, bytes, or iterable of ints`);
    const bytes = [...(value.elements() ?? [])].map((one, index) => byteOf(one, index));
    return new StarBytes(bytes.join(""));
  },
  chr(args) {
    const code = args.naming(() => smallInt(only(args)));
    if (code < 0) throw args.error(`Unicode code point ${code} out of range (<0)`);
    if (code > 0x10ffff)
      throw args.error(`Unicode code point U+${code.toString(16).toUpperCase()} out of range (>0x10FFFF)`);
    return runeBytes(code);
  },
  float,
  int(args) {
    args.fit("x", "base?");
    const value = args.value(0);
    const base = args.optional(1);
    if (typeof value === "string") return intOf(value, base, args);
    if (base !== undefined) throw args.error("can't convert non-string with explicit base");
    if (typeof value === "boolean") return value ? 1n : 0n;
    return args.naming(() => truncate(value));
  },
  ord(args) {
    const value = only(args);
    if (value instanceof StarBytes) {
      if (value.data.length !== 1) throw args.error(`bytes has length ${value.data.length}, want 1`);
      return BigInt(value.data.charCodeAt(0));
    }
    if (typeof value !== "string") throw args.error(`got ${typeOf(value)}, want string or bytes`);
    const runes = [...runesOf(value)];
    const [rune] = runes;
    if (runes.length !== 1 || !rune)
      throw args.error(`string encodes ${runes.length} Unicode code points, want 1`);
    return BigInt(rune.code);
  },
  repr: (args) => repr(args.take(1).value(0)),
  str(args) {
    const value = only(args, "exactly 1");
    return value instanceof StarBytes ? toBytes(toText(value.data)) : display(value);
  },
};

function only(args: Arguments, count = "1"): Value {
  args.noNames();
  const { length } = args.positional;
  if (length !== 1) throw args.error(`got ${length} arguments, want ${count}`);
  return args.positional[0] ?? null;
}

function byteOf(value: Value, index: number): string {
  const where = `bytes: at index ${index},`;
  if (typeof value !== "bigint") throw new StarlarkError(`${where} got ${typeOf(value)}, want int`);
  if (value < 0n || value > 255n)
    throw new StarlarkError(`${where} ${value} out of range (want value in unsigned 8-bit range)`);
  return String.fromCharCode(Number(value));
}

function intOf(text: string, base: Value | undefined, args: Arguments): bigint {
  if (base !== undefined && typeof base !== "bigint")
    throw args.error(`for base, got ${typeOf(base)}, want int`);
  const radix = Number(base ?? 10n);
  if (radix !== 0 && (radix < 2 || radix > 36)) throw args.error("base must be an integer >= 2 && <= 36");
  const value = readInt(text, radix);
  if (value === undefined) throw args.error(`invalid literal with base ${radix}: ${text}`);
  return value;
}

const endless: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
};

function float(args: Arguments): number {
  args.noNames();
  const { length } = args.positional;
  if (length > 1) throw new StarlarkError(`float got ${length} arguments, wants 1`);
  if (length === 0) return 0;
  const value = args.positional[0] ?? null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number" || typeof value === "bigint") return toFloat(value);
  if (typeof value !== "string") throw new StarlarkError(`float got ${typeOf(value)}, want number or string`);
  if (value === "") throw args.error("empty string");
  const sign = value.startsWith("-") ? -1 : 1;
  const special = endless[value.replace(/^[+-]/, "").toLowerCase()];
  if (special !== undefined) return sign * special;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
    throw new StarlarkError(`invalid float literal: ${value}`);
  const number = Number(value);
  if (!Number.isFinite(number)) throw new StarlarkError("floating-point number too large");
  return number;
}
