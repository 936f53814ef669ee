import { define, type GoFunctions } from "../execute/functions.ts";

/** sprig's encodings; a text that cannot be decoded gives Go's message as its result. */
export const encodingFunctions: GoFunctions = {
  b64enc: define(["string"], ([text]) => Buffer.from(text).toString("base64")),
  b64dec: define(["string"], ([text]) => decode64(text)),
  b32enc: define(["string"], ([text]) => encode32(Buffer.from(text))),
  b32dec: define(["string"], ([text]) => decode32(text)),
};

/** Where Go's decoders stop: at the group of characters that has a foreign one or ends early. */
function decode64(text: string): string {
  const clean = text.replace(/[\r\n]/g, "");
  const bad = clean.search(/[^A-Za-z0-9+/]/);
  const body = bad < 0 ? clean : clean.slice(0, bad);
  const end = clean.slice(body.length);
  const padding = (4 - (body.length % 4)) % 4;
  if (padding === 3 || end !== "=".repeat(padding))
    return `illegal base64 data at input byte ${placeOf(text, body, end)}`;
  return Buffer.from(body, "base64").toString("utf8");
}

function placeOf(text: string, body: string, end: string): number {
  const group = body.length % 4;
  if (end === "") return text.length - group;
  if (!end.startsWith("=") || group < 2) return body.length;
  const padding = 4 - group;
  const right = /^=*/.exec(end)?.[0].length ?? 0;
  if (right < padding) return end.length > right ? body.length + right : text.length;
  return body.length + padding;
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
