import { define, type GoFunctions } from "../execute/functions.ts";
import { bytesOf, textOf } from "../values/text-bytes.ts";

/** sprig's encodings; a text that cannot be decoded gives Go's message as its result. */
export const encodingFunctions: GoFunctions = {
  b64enc: define(["string"], ([text]) => bytesOf(text).toString("base64")),
  b64dec: define(["string"], ([text]) => decode64(text)),
  b32enc: define(["string"], ([text]) => encode32(bytesOf(text))),
  b32dec: define(["string"], ([text]) => decode32(text)),
};

function decode64(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(clean))
    return `illegal base64 data at input byte ${badByte64(bytesOf(text))}`;
  return textOf(Buffer.from(clean, "base64"));
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
  const chars = bytesOf(text.replace(/[\r\n]/g, "")).toString("latin1");
  const bytes: number[] = [];
  let bad: number | undefined;
  for (let at = 0; at < chars.length && bad === undefined; at += 8) {
    const group = decodeGroup(chars, at);
    bad = group.bad;
    bytes.push(...group.bytes);
    if (group.isLast) break;
  }
  return bad === undefined ? textOf(Uint8Array.from(bytes)) : `illegal base32 data at input byte ${bad}`;
}

interface Group {
  readonly bytes: readonly number[];
  /** Nothing after it is read. */
  readonly isLast?: boolean;
  /** Where Go says that it goes wrong (encoding/base32 decode). */
  readonly bad?: number;
}

/** Eight characters, of which the last may be padding. */
function decodeGroup(chars: string, from: number): Group {
  const found: number[] = [];
  for (let at = from; found.length < 8; at += 1) {
    if (at >= chars.length) return { bytes: [], bad: from };
    const isPadding = chars[at] === "=" && found.length >= 2 && chars.length - at - 1 < 8;
    if (isPadding) return paddedGroup(chars, { at, found });
    const value = alphabet32.indexOf(chars[at] ?? "");
    if (value < 0) return { bytes: [], bad: at };
    found.push(value);
  }
  return { bytes: bytesOf32(found) };
}

function paddedGroup(chars: string, { at, found }: { at: number; found: readonly number[] }): Group {
  const wanted = 7 - found.length;
  const left = chars.length - at - 1;
  if (left < wanted) return { bytes: [], bad: chars.length };
  for (let index = 0; index < wanted; index += 1)
    if (chars[at + 1 + index] !== "=") return { bytes: [], bad: at + index };
  if ([3, 6].includes(found.length)) return { bytes: [], bad: at };
  return { bytes: bytesOf32(found), isLast: true };
}

function bytesOf32(values: readonly number[]): number[] {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const value of values) {
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return bytes;
}
