const prefixes: Readonly<Record<string, number>> = { "0x": 16, "0o": 8, "0b": 2 };
/** Digits beyond which a text is no number that a script needs. */
const maxDigits = 20_000;

/** What `int(text, base)` reads; undefined where the text is no number in that base. */
export function readInt(text: string, base: number): bigint | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const unsigned = text.slice(sign.length).toLowerCase();
  const prefixed = prefixes[unsigned.slice(0, 2)];
  const isPrefixed = prefixed !== undefined && (base === 0 || base === prefixed);
  const digits = isPrefixed ? unsigned.slice(2) : unsigned;
  if (base === 0 && !isPrefixed && /^0+[1-9]/.test(digits)) return undefined;
  const value = readDigits(digits, isPrefixed ? prefixed : base || 10);
  return sign === "-" && value !== undefined ? -value : value;
}

function readDigits(digits: string, base: number): bigint | undefined {
  if (!/^[0-9a-z]+$/.test(digits) || digits.length > maxDigits) return undefined;
  if (base === 10) return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  let value = 0n;
  for (const digit of digits) {
    const number = Number.parseInt(digit, 36);
    if (number >= base) return undefined;
    value = value * BigInt(base) + BigInt(number);
  }
  return value;
}
