import {
  constants,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  privateDecrypt,
} from "node:crypto";
import type { Identity, Stanza } from "age-encryption";
import { readSshKey } from "./ssh-key.ts";

const label = (type: string): Buffer => Buffer.from(`age-encryption.org/v1/${type}`);
const none = Buffer.alloc(0);

/** An SSH private key as an age identity (filippo.io/age/agessh). Throws where it is no key that age takes. */
export function sshIdentity(pem: string): Identity {
  const key = readSshKey(pem);
  const fingerprint = bare(createHash("sha256").update(key.wire).digest().subarray(0, 4));
  const unwrap = ({ args, body }: Stanza): Uint8Array => {
    if (key.type === "ssh-rsa") return decryptRsa(key.privateKey, body);
    const share = Buffer.from(args[2] ?? "", "base64");
    if (share.length !== 32) throw new Error("its ssh-ed25519 entry is malformed");
    return openBody(wrappingKey(key.seed, key.wire, share), body);
  };
  return {
    unwrapFileKey(stanzas) {
      const own = stanzas.find(({ args }) => args[0] === key.type && args[1] === fingerprint);
      return own ? unwrap(own) : null;
    },
  };
}

function decryptRsa(key: KeyObject, body: Uint8Array): Buffer {
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
  return privateDecrypt({ key, ...padding, oaepLabel: label("ssh-rsa") }, body);
}

function openBody(key: Buffer, body: Uint8Array): Buffer {
  const decipher = createDecipheriv("chacha20-poly1305", key, Buffer.alloc(12), { authTagLength: 16 });
  decipher.setAuthTag(body.subarray(-16));
  return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]);
}

/** The Ed25519 key stands for the X25519 key with the same secret; a tweak binds it to the SSH key. */
function wrappingKey(seed: Buffer, wire: Buffer, share: Buffer): Buffer {
  const secret = createHash("sha512").update(seed).digest().subarray(0, 32);
  const info = label("ssh-ed25519");
  const tweak = Buffer.from(hkdfSync("sha256", none, wire, info, 32));
  const own = publicOf(secret);
  const shared = x25519(tweak, x25519(secret, share));
  return Buffer.from(hkdfSync("sha256", shared, Buffer.concat([share, own]), info, 32));
}

function x25519(secret: Buffer, share: Buffer): Buffer {
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "X25519", x: share.toString("base64url") },
    format: "jwk",
  });
  return diffieHellman({ privateKey: privateOf(secret), publicKey });
}

function publicOf(secret: Buffer): Buffer {
  const { x = "" } = createPublicKey(privateOf(secret)).export({ format: "jwk" });
  return Buffer.from(x, "base64url");
}

/** RFC 8410: the 32 bytes behind what says that they are X25519's. */
function privateOf(secret: Buffer): KeyObject {
  const head = Buffer.from("302e020100300506032b656e04220420", "hex");
  return createPrivateKey({ key: Buffer.concat([head, secret]), format: "der", type: "pkcs8" });
}

function bare(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
