/** Puts a secret together from parts of Shamir's scheme over GF(2^8) with AES's polynomial, x in the last byte. */
export function combineParts(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  if (!first || parts.length < 2) throw new Error("fewer than two parts");
  const length = first.length - 1;
  if (length < 1 || parts.some((part) => part.length !== first.length))
    throw new Error("the parts differ in length");
  const xs = parts.map((part) => part[length] ?? 0);
  if (new Set(xs).size !== xs.length || xs.includes(0)) throw new Error("a part is there twice");
  // The polynomial's value at 0, by Lagrange: the weights are the same for every byte.
  const weights = xs.map((x, own) =>
    xs.reduce((weight, other, at) => (at === own ? weight : multiply(weight, divide(other, x ^ other))), 1),
  );
  const secret = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1)
    secret[at] = parts.reduce((sum, part, own) => sum ^ multiply(part[at] ?? 0, weights[own] ?? 0), 0);
  return secret;
}

function multiply(left: number, right: number): number {
  let product = 0;
  for (let a = left, b = right; b > 0; b >>= 1) {
    if (b & 1) product ^= a;
    a = a & 0x80 ? ((a << 1) ^ 0x11b) & 0xff : a << 1;
  }
  return product;
}

/** The inverse of b is its 254th power. */
function divide(a: number, b: number): number {
  let inverse = 1;
  for (let times = 0; times < 254; times += 1) inverse = multiply(inverse, b);
  return multiply(a, inverse);
}
