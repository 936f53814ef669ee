import { StarlarkError } from "../script-error.ts";
import { isNumber } from "../values/compare.ts";
import { spend } from "../values/steps.ts";
import { typeOf, type Value } from "../values/value.ts";

/** Numbers beyond it are refused, so that arithmetic stays quick. */
const largest = 1n << 65_536n;
const maxShift = 512;

/** What an operator gives for two numbers; undefined where it has no meaning for them. */
export function calculate(operator: string, one: Value, other: Value): Value | undefined {
  if (typeof one === "bigint" && (operator === "<<" || operator === ">>")) return shift(operator, one, other);
  if (!isNumber(one) || !isNumber(other)) return undefined;
  if (typeof one === "bigint" && typeof other === "bigint" && operator !== "/")
    return bounded(calculateInt(operator, one, other));
  return calculateFloat(operator, one, other);
}

function calculateInt(operator: string, one: bigint, other: bigint): bigint | undefined {
  switch (operator) {
    case "+":
      return one + other;
    case "-":
      return one - other;
    case "*":
      return one * other;
    case "//":
      if (other === 0n) throw new StarlarkError("floored division by zero");
      return floorDivide(one, other);
    case "%":
      if (other === 0n) throw new StarlarkError("integer modulo by zero");
      return one - floorDivide(one, other) * other;
    case "&":
      return one & other;
    case "|":
      return one | other;
    case "^":
      return one ^ other;
    default:
      return undefined;
  }
}

function floorDivide(one: bigint, other: bigint): bigint {
  const quotient = one / other;
  const isRounded = quotient * other !== one && one < 0n !== other < 0n;
  return isRounded ? quotient - 1n : quotient;
}

function bounded(value: bigint | undefined): bigint | undefined {
  if (value === undefined || (value < 0x7fffffffffffffffn && value > -0x7fffffffffffffffn)) return value;
  spend(64);
  if (value > largest || value < -largest) throw new StarlarkError("an int has more than 65536 bits");
  return value;
}

function calculateFloat(operator: string, one: bigint | number, other: bigint | number): number | undefined {
  if (!["+", "-", "*", "/", "//", "%"].includes(operator)) return undefined;
  const a = toFloat(one);
  const b = toFloat(other);
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new StarlarkError("floating-point division by zero");
      return a / b;
    case "//":
      if (b === 0) throw new StarlarkError("floored division by zero");
      return Math.floor(a / b);
    default:
      if (b === 0) throw new StarlarkError("floating-point modulo by zero");
      return modulo(a, b);
  }
}

/** With the sign of the divisor. */
function modulo(one: number, other: number): number {
  const rest = one % other;
  return rest !== 0 && one < 0 !== other < 0 ? rest + other : rest;
}

export function toFloat(value: bigint | number): number {
  const float = Number(value);
  if (typeof value === "bigint" && !Number.isFinite(float))
    throw new StarlarkError("int too large to convert to float");
  return float;
}

function shift(operator: "<<" | ">>", one: bigint, by: Value): bigint | undefined {
  if (typeof by !== "bigint") throw new StarlarkError(`got ${typeOf(by)}, want int`);
  if (by > 0x7fffffffn || by < -0x80000000n) throw new StarlarkError(`${by} out of range`);
  if (by < 0n) throw new StarlarkError(`negative shift count: ${by}`);
  if (operator === ">>") return one >> by;
  if (by >= maxShift) throw new StarlarkError(`shift count too large: ${by}`);
  return bounded(one << by);
}
