import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** What age needs of an SSH private key; `wire` is the public key as SSH writes it (RFC 4253 §6.6, RFC 8709). */
export type SshKey =
  | { type: "ssh-ed25519"; wire: Buffer; seed: Buffer }
  | { type: "ssh-rsa"; wire: Buffer; privateKey: KeyObject };

const magic = "openssh-key-v1\0";

/** OpenSSH's own format (PROTOCOL.key), or PEM as older keys have it. No error quotes the key. */
export function readSshKey(pem: string): SshKey {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]+)-----END/.exec(pem)?.[1];
  if (body !== undefined) return readOpenSsh(Buffer.from(body, "base64"));
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error("the SSH key cannot be read: it has a passphrase, or is no private key");
  }
  if (key.asymmetricKeyType === "rsa") return rsaKey(key);
  throw new Error(`SSH keys of type ${key.asymmetricKeyType} cannot be age keys`);
}

function readOpenSsh(bytes: Buffer): SshKey {
  if (bytes.subarray(0, magic.length).toString("latin1") !== magic)
    throw new Error("the SSH key cannot be read");
  const outer = new Fields(bytes.subarray(magic.length));
  const cipher = outer.text();
  if (cipher !== "none") throw new Error("the SSH key has a passphrase: use one without, or an age key");
  outer.skip(2);
  if (outer.number() !== 1) throw new Error("the SSH key's file has not one key");
  const wire = outer.bytes();
  const inner = new Fields(outer.bytes());
  const [check, again] = [inner.number(), inner.number()];
  if (check !== again) throw new Error("the SSH key is damaged");
  const type = inner.text();
  if (type === "ssh-ed25519") {
    inner.skip(1);
    return { type, wire, seed: inner.bytes().subarray(0, 32) };
  }
  if (type !== "ssh-rsa") throw new Error(`SSH keys of type ${type} cannot be age keys`);
  const [n, e, d, qi, p, q] = Array.from({ length: 6 }, () => inner.bytes());
  return rsaKey(fromNumbers({ n, e, d, qi, p, q }));
}

type RsaNumbers = Readonly<Record<"n" | "e" | "d" | "qi" | "p" | "q", Buffer | undefined>>;

/** JWK wants two more numbers than OpenSSH keeps. */
function fromNumbers(numbers: RsaNumbers): KeyObject {
  const integer = (bytes: Buffer | undefined) => BigInt(`0x${bytes?.toString("hex") || "0"}`);
  const d = integer(numbers.d);
  const rest = (prime: Buffer | undefined) => toBytes(d % (integer(prime) - 1n));
  const all = { ...numbers, dp: rest(numbers.p), dq: rest(numbers.q) };
  const coded = Object.entries(all).map(([name, bytes]) => [
    name,
    toBytes(integer(bytes)).toString("base64url"),
  ]);
  return createPrivateKey({ key: { kty: "RSA", ...Object.fromEntries(coded) }, format: "jwk" });
}

function rsaKey(privateKey: KeyObject): SshKey {
  const { n = "", e = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const [modulus, exponent] = [n, e].map((text) => signedInteger(Buffer.from(text, "base64url")));
  const wire = Buffer.concat([Buffer.from("ssh-rsa"), exponent ?? none, modulus ?? none].map(withLength));
  return { type: "ssh-rsa", wire, privateKey };
}

const none = Buffer.alloc(0);

/** A leading bit that is set would say that the number is negative. */
function signedInteger(bytes: Buffer): Buffer {
  return (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function toBytes(number: bigint): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

/** Numbers, and bytes behind their length. */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  number(): number {
    return this.#take(4).readUInt32BE();
  }

  bytes(): Buffer {
    return this.#take(this.number());
  }

  text(): string {
    return this.bytes().toString();
  }

  skip(count: number): void {
    for (let skipped = 0; skipped < count; skipped += 1) this.bytes();
  }

  #take(length: number): Buffer {
    if (length > this.#rest.length) throw new Error("the SSH key is cut off");
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}
