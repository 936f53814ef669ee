import { ExprError } from "../expr-error.ts";
import type { Token } from "./read-tokens.ts";

/** An integer as a bigint, which has 64 bits, or a float as a number. */
export function readNumber({ value, at }: Token): bigint | number {
  const text = value.replaceAll("_", "").toLowerCase();
  if (!/^0[xob]/.test(text) && /[.e]/.test(text)) {
    const float = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(float)) throw new ExprError(`invalid float literal ${value}`, at);
    return float;
  }
  const integer = /^(\d+|0x[\da-f]+|0o[0-7]+|0b[01]+)$/.test(text) ? BigInt(text) : undefined;
  if (integer === undefined || integer > 2n ** 63n - 1n)
    throw new ExprError(`invalid integer literal ${value}`, at);
  return integer;
}
