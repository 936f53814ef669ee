// The few shapes of ASN.1 DER (X.690) that a certificate is made of.

export function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export function sequence(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...items);
}

export function set(...items: readonly Uint8Array[]): Buffer {
  return tagged(0x31, ...items);
}

/** `bytes` are the magnitude; a leading zero keeps it positive. */
export function integer(bytes: Uint8Array): Buffer {
  const positive = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return tagged(0x02, positive);
}

export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return tagged(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

export function yes(): Buffer {
  return tagged(0x01, Buffer.from([0xff]));
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** UTCTime up to 2049, GeneralizedTime after (RFC 5280 4.1.2.5). */
export function time(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  return Number(text.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(text.slice(2)))
    : tagged(0x18, Buffer.from(text));
}
