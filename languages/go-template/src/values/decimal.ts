export type Operation = "add" | "subtract" | "multiply" | "divide";

/** digits × 10^exponent. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Digits after the point that a quotient has (shopspring/decimal, DivisionPrecision). */
const quotientDigits = 16;

/** The first number with each further one, as decimal numbers; the result as a float. */
export function operate(operation: Operation, [first = 0, ...others]: readonly number[]): number {
  const { digits, exponent } = others
    .map(decimalOf)
    .reduce((left, right) => steps[operation](left, right), decimalOf(first));
  return Number(`${digits}e${exponent}`);
}

function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const fraction = mantissa.split(".")[1] ?? "";
  return { digits: BigInt(mantissa.replace(".", "")), exponent: Number(exponent) - fraction.length };
}

/** Floats span 10^±324, so that no difference of exponents makes digits without end. */
const scale = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);

const steps: Readonly<Record<Operation, (left: Decimal, right: Decimal) => Decimal>> = {
  add(left, right) {
    const exponent = Math.min(left.exponent, right.exponent);
    return { digits: scale(left, exponent) + scale(right, exponent), exponent };
  },
  subtract: (left, right) => steps.add(left, { ...right, digits: -right.digits }),
  multiply: (left, right) => ({
    digits: left.digits * right.digits,
    exponent: left.exponent + right.exponent,
  }),
  divide(left, right) {
    if (right.digits === 0n) throw new Error("decimal division by 0");
    const exponent = Math.min(left.exponent - right.exponent, 0) - quotientDigits - 1;
    const exact = scale(left, Math.min(left.exponent, exponent + right.exponent)) / right.digits;
    const reached = Math.min(left.exponent, exponent + right.exponent) - right.exponent;
    return roundTo({ digits: exact, exponent: reached }, -quotientDigits);
  },
};

/** Half away from zero. */
function roundTo({ digits, exponent }: Decimal, to: number): Decimal {
  if (exponent >= to) return { digits, exponent };
  const unit = 10n ** BigInt(to - exponent);
  const half = digits < 0n ? -unit / 2n : unit / 2n;
  return { digits: (digits + half) / unit, exponent: to };
}
