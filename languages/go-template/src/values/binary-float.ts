const fractionBits = 52n;
const view = new DataView(new ArrayBuffer(8));

/** strconv.FormatFloat by the verbs b, x and X: digits of a float in the base in which it is kept. */
export function printBinaryFloat(value: number, verb: "b" | "x" | "X", precision?: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "-Inf" : "+Inf";
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n ? "-" : "";
  const kept = Number((bits >> fractionBits) & 0x7ffn);
  const fraction = bits & ((1n << fractionBits) - 1n);
  const digits = kept === 0 ? fraction : fraction | (1n << fractionBits);
  const exponent = (kept === 0 ? 1 : kept) - 1023;
  if (verb === "b") return `${sign}${digits}p${signed(exponent - Number(fractionBits))}`;
  const text = sign + printHexFloat(digits, exponent, precision);
  return verb === "X" ? text.toUpperCase() : text;
}

const one = 1n << 60n;

function printHexFloat(digits: bigint, given: number, precision: number | undefined): string {
  let exponent = digits === 0n ? 0 : given;
  let rest = digits << (60n - fractionBits);
  for (; rest !== 0n && rest < one; rest <<= 1n) exponent -= 1;
  if (precision !== undefined && precision < 15) {
    const left = 60n - BigInt(precision * 4);
    const beyond = (rest << (60n - left)) & (one - 1n);
    rest >>= left;
    // Half to even.
    if ((beyond | (rest & 1n)) > one >> 1n) rest += 1n;
    rest <<= left;
    if (rest >= one << 1n) {
      rest >>= 1n;
      exponent += 1;
    }
  }
  const hex = (rest & (one - 1n)).toString(16).padStart(15, "0");
  const fraction =
    precision === undefined ? hex.replace(/0+$/, "") : hex.slice(0, precision).padEnd(precision, "0");
  return `0x${rest >> 60n}${fraction === "" ? "" : `.${fraction}`}p${signed(exponent, 2)}`;
}

function signed(exponent: number, least = 1): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(least, "0")}`;
}
