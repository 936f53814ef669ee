import { createHash } from "node:crypto";

/** A public key as gpg lists it (GnuPG --list-public-keys), with its own armored text. */
export interface OpenPgpKey {
  /** The last 16 digits of the fingerprint. */
  readonly keyId: string;
  /** 40 digits, in capitals. */
  readonly fingerprint: string;
  /** The first identity, "" without one. */
  readonly owner: string;
  /** rsa4096, ed25519, nistp256, … */
  readonly type: string;
  readonly armored: string;
}

interface Packet {
  readonly tag: number;
  readonly body: Buffer;
  /** With its header. */
  readonly whole: Buffer;
}

const begin = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const end = "-----END PGP PUBLIC KEY BLOCK-----";

/**
 * The keys of armored blocks, of which each may hold several (RFC 9580 §6.2, §10.1). No program is asked: these texts are
 * a stranger's. That a key has signed its identities itself is for whoever verifies with it.
 * @throws Error with what is wrong, in words
 */
export function readOpenPgpKeys(text: string): OpenPgpKey[] {
  const blocks = text
    .split(end)
    .slice(0, -1)
    .map((before) => before.split(begin))
    .filter(({ length }) => length > 1)
    .map((parts) => parts.at(-1) ?? "");
  if (blocks.length === 0)
    throw new Error(
      /BEGIN PGP PRIVATE KEY/.test(text)
        ? "is a private key: give the public one (gpg --armor --export KEYID)"
        : `holds no ${begin}`,
    );
  const keys = blocks.flatMap((body) => groupKeys(readPackets(dearmor(body))).map(describeKey));
  if (keys.length === 0) throw new Error("holds no key");
  return keys;
}

/** Without the headers of the armor, and checked by its sum. */
function dearmor(body: string): Buffer {
  const [, ...lines] = body.split(/\r?\n/).map((line) => line.trim());
  const first = lines.indexOf("");
  const data = (first < 0 ? lines : lines.slice(first + 1)).filter((line) => line !== "");
  const sum = data.at(-1)?.startsWith("=") ? data.pop()?.slice(1) : undefined;
  if (!data.every((line) => /^[A-Za-z0-9+/]+={0,2}$/.test(line))) throw new Error("is not in base64");
  const bytes = Buffer.from(data.join(""), "base64");
  if (sum !== undefined && sum !== crc24(bytes)) throw new Error("is damaged: its checksum differs");
  return bytes;
}

/** RFC 4880 §6.1. */
function crc24(bytes: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString("base64");
}

const truncated = () => new Error("is not whole: a packet is longer than what is there");

/** RFC 9580 §4.2; partial lengths are for data alone. */
function readPackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const header = bytes[at] ?? 0;
    if ((header & 0x80) === 0) throw new Error("is no OpenPGP data");
    const isNew = (header & 0x40) !== 0;
    const { length, size } = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, header & 3);
    const start = at + 1 + size;
    const end = start + length;
    if (end > bytes.length) throw truncated();
    const tag = isNew ? header & 0x3f : (header >> 2) & 0xf;
    packets.push({ tag, body: bytes.subarray(start, end), whole: bytes.subarray(at, end) });
    at = end;
  }
  return packets;
}

interface Length {
  readonly length: number;
  /** Bytes that it takes. */
  readonly size: number;
}

function newLength(bytes: Buffer, at: number): Length {
  const [first = 256, second = 256] = bytes.subarray(at, at + 2);
  if (first < 192) return { length: first, size: 1 };
  if (first < 224 && second < 256) return { length: ((first - 192) << 8) + second + 192, size: 2 };
  if (first === 255 && at + 5 <= bytes.length) return { length: bytes.readUInt32BE(at + 1), size: 5 };
  throw truncated();
}

function oldLength(bytes: Buffer, at: number, kind: number): Length {
  const size = [1, 2, 4][kind];
  if (size === undefined || at + size > bytes.length) throw truncated();
  return { length: bytes.readUIntBE(at, size), size };
}

const publicKey = 6;
const userId = 13;

function groupKeys(packets: readonly Packet[]): Packet[][] {
  const keys: Packet[][] = [];
  for (const packet of packets) {
    if (packet.tag === publicKey) keys.push([]);
    const last = keys.at(-1);
    if (!last) throw new Error(`begins with a packet of type ${packet.tag}, not with a public key`);
    last.push(packet);
  }
  return keys;
}

function describeKey(packets: readonly Packet[]): OpenPgpKey {
  const [{ body: key } = { body: Buffer.alloc(0) }] = packets;
  const [version = 0] = key;
  if (version !== 4 || key.length < 8)
    throw new Error(`is a key of version ${version}: keys of version 4 are understood`);
  const prefix = Buffer.from([0x99, key.length >> 8, key.length & 0xff]);
  const fingerprint = createHash("sha1").update(prefix).update(key).digest("hex").toUpperCase();
  const owner = packets.find(({ tag }) => tag === userId)?.body.toString("utf8") ?? "";
  return {
    fingerprint,
    keyId: fingerprint.slice(24),
    owner: shownText(owner.slice(0, 2048)),
    type: typeOf(key),
    armored: armor(Buffer.concat(packets.map(({ whole }) => whole))),
  };
}

/** As gpg shows them: terminals are not to be told anything. */
function shownText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(2, "0");
    return `\\x${code}`;
  });
}

const byBits: Readonly<Record<number, string>> = { 1: "rsa", 2: "rsa", 3: "rsa", 16: "elg", 17: "dsa" };
/** Algorithms by RFC 9580 §9.1 whose key begins with the OID of a curve. */
const byCurve: ReadonlySet<number> = new Set([18, 19, 22]);
const curves: Readonly<Record<string, string>> = {
  "2a8648ce3d030107": "nistp256",
  "2b81040022": "nistp384",
  "2b81040023": "nistp521",
  "2b8104000a": "secp256k1",
  "2b06010401da470f01": "ed25519",
  "2b060104019755010501": "cv25519",
  "2b6571": "ed448",
  "2b2403030208010107": "brainpoolP256r1",
  "2b240303020801010b": "brainpoolP384r1",
  "2b240303020801010d": "brainpoolP512r1",
};

function typeOf(key: Buffer): string {
  const algorithm = key[5] ?? 0;
  const named = byBits[algorithm];
  if (named !== undefined) return `${named}${key.readUInt16BE(6)}`;
  if (algorithm === 27) return "ed25519";
  if (algorithm === 28) return "ed448";
  const oid = byCurve.has(algorithm) ? key.subarray(7, 7 + (key[6] ?? 0)).toString("hex") : "";
  return curves[oid] ?? "unknown";
}

function armor(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [begin, "", ...lines, `=${crc24(bytes)}`, end, ""].join("\n");
}
