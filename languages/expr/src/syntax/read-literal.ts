import { ExprError } from "../expr-error.ts";
import type { Token } from "./read-tokens.ts";

/** What a token stands for by itself; undefined where it stands for nothing. */
export function readLiteral(token: Token): null | boolean | bigint | number | string | undefined {
  const { kind, value } = token;
  if (kind === "number") return readNumber(token);
  if (kind === "text") return value;
  if (kind !== "name") return undefined;
  if (value === "nil") return null;
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** An integer as a bigint, which has 64 bits, or a float as a number. */
function readNumber({ value, at }: Token): bigint | number {
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
