/** Kubernetes quantities ("500m", "1Gi"), exact in billionths, as apimachinery's resource.Quantity. */

export interface Quantity {
  /** The amount in billionths. */
  nanos: bigint;
  format: "decimal" | "binary" | "exponent";
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const billion = 10n ** 9n;
const written = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;
/** Longer texts cannot be sensible amounts, and exponents of their size would cost memory. */
const longestText = 64;

/** Nothing when the text is none. A part below a billionth rounds up; without any digit it is 0, as Go has it. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text === "" || text.length > longestText) return undefined;
  const match = written.exec(text);
  const [, sign, whole = "", fraction = "", suffix = ""] = match ?? [];
  if (!match) return undefined;
  const scaled = scaleOf(suffix);
  if (!scaled) return undefined;
  const digits = BigInt(`${whole}${fraction}` || "0");
  const divisor = 10n ** BigInt(fraction.length);
  const amount = digits * scaled.factor;
  const nanos = (amount + divisor * scaled.divisor - 1n) / (divisor * scaled.divisor);
  return { nanos: sign === "-" ? -nanos : nanos, format: scaled.format };
}

function scaleOf(
  suffix: string,
): { factor: bigint; divisor: bigint; format: Quantity["format"] } | undefined {
  const binary = suffix === "" ? -1 : binarySuffixes.indexOf(suffix);
  if (binary > 0) return { factor: billion * 1024n ** BigInt(binary), divisor: 1n, format: "binary" };
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { factor: 1000n ** BigInt(decimal), divisor: 1n, format: "decimal" };
  const exponent = Number(suffix.slice(1));
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 30) return undefined;
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0
    ? { factor: billion, divisor: power, format: "exponent" }
    : { factor: billion * power, divisor: 1n, format: "exponent" };
}

/** The one spelling that the API server stores: "1000m" becomes "1", "1024Mi" becomes "1Gi". */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text.trim());
  if (!quantity) return undefined;
  return printQuantity(quantity);
}

export function printQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return "0";
  const size = nanos < 0n ? -nanos : nanos;
  if (format === "binary" && size >= 1024n * billion && size % billion === 0n) {
    let whole = nanos / billion;
    let power = 0;
    for (; power < binarySuffixes.length - 1 && whole % 1024n === 0n; power += 1) whole /= 1024n;
    return `${whole}${binarySuffixes[power]}`;
  }
  let mantissa = nanos;
  let power = 0;
  for (; power < decimalSuffixes.length - 1 && mantissa % 1000n === 0n; power += 1) mantissa /= 1000n;
  const exponent = (power - 3) * 3;
  if (format === "exponent") return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  return `${mantissa}${decimalSuffixes[power]}`;
}
