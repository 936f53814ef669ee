import { define, type GoFunctions } from "../execute/functions.ts";

/** sprig's encodings; a text that cannot be decoded gives Go's message as its result. */
export const encodingFunctions: GoFunctions = {
  b64enc: define(["string"], ([text]) => Buffer.from(text).toString("base64")),
  b64dec: define(["string"], ([text]) => decode64(text)),
  b32enc: define(["string"], ([text]) => encode32(Buffer.from(text))),
  b32dec: define(["string"], ([text]) => decode32(text)),
};

function decode64(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(clean))
    return `illegal base64 data at input byte ${badByte64(Buffer.from(text))}`;
  return Buffer.from(clean, "base64").toString("utf8");
}

const isLineEnd = (byte: number | undefined): boolean => byte === 10 || byte === 13;

/** Where Go's decoder stops (encoding/base64 decodeQuantum): at a foreign character, or where its last group has no end. */
function badByte64(bytes: Uint8Array): number {
  let inGroup = 0;
  for (const [at, byte] of bytes.entries()) {
    if (isLineEnd(byte)) continue;
    if (/[A-Za-z0-9+/]/.test(String.fromCharCode(byte))) inGroup = (inGroup + 1) % 4;
    else return byte === 61 && inGroup >= 2 ? badPadding(bytes, at, inGroup) : at;
  }
  return bytes.length - inGroup;
}

function badPadding(bytes: Uint8Array, first: number, inGroup: number): number {
  const next = (from: number): number => {
    let at = from;
    while (isLineEnd(bytes[at])) at += 1;
    return at;
  };
  const second = next(first + 1);
  if (inGroup === 3) return second;
  if (second === bytes.length) return bytes.length;
  return bytes[second] === 61 ? next(second + 1) : second - 1;
}

const alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function encode32(bytes: Uint8Array): string {
  let text = "";
  let [held, bits] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet32[(held >> (bits - 5)) & 31];
    held &= 31;
  }
  if (bits > 0) text += alphabet32[(held << (5 - bits)) & 31];
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

function decode32(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  const body = /^[A-Z2-7]*/.exec(clean)?.[0] ?? "";
  const left = body.length % 8;
  const isWhole = clean === body.padEnd(Math.ceil(body.length / 8) * 8, "=");
  const place = body.length === clean.length ? body.length - left : body.length;
  if (!isWhole || [1, 3, 6].includes(left)) return `illegal base32 data at input byte ${place}`;
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const char of body) {
    held = ((held << 5) | alphabet32.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return Buffer.from(bytes).toString("utf8");
}
