/** NKeys: a user's Ed25519 key, written in base32 between two bytes that say what it is and two that check it. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** github.com/nats-io/nkeys: PrefixByteSeed, PrefixByteUser. */
const [seedPrefix, userPrefix] = [18 << 3, 20 << 3];
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

export interface NkeySeed {
  /** As a server knows it: U…. */
  readonly publicKey: string;
  sign(nonce: string): string;
}

/** Nothing where it is no seed of a user. */
export function readSeed(text: string): NkeySeed | undefined {
  const bytes = decodeBase32(text.trim());
  if (bytes?.length !== 36) return undefined;
  const [first = 0, second = 0] = bytes;
  const kind = ((first & 7) << 5) | ((second & 248) >> 3);
  const isWhole = crc16(bytes.subarray(0, -2)) === bytes.readUInt16LE(bytes.length - 2);
  if ((first & 248) !== seedPrefix || kind !== userPrefix || !isWhole) return undefined;
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8, bytes.subarray(2, 34)]),
    format: "der",
    type: "pkcs8",
  });
  return {
    publicKey: publicTextOf(key),
    sign: (nonce) => sign(null, Buffer.from(nonce), key).toString("base64url"),
  };
}

function publicTextOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ format: "der", type: "spki" });
  const body = Buffer.concat([Buffer.of(userPrefix), der.subarray(-32)]);
  const check = Buffer.alloc(2);
  check.writeUInt16LE(crc16(body));
  return encodeBase32(Buffer.concat([body, check]));
}

function decodeBase32(text: string): Buffer | undefined {
  if (!/^[A-Z2-7]+$/.test(text)) return undefined;
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const char of text) {
    value = ((value << 5) | alphabet.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

function encodeBase32(bytes: Buffer): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** CRC-16/XMODEM. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
