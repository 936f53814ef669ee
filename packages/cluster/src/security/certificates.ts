import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import {
  bitString,
  integer,
  objectId,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
  yes,
} from "./der.ts";

/** PEM texts. */
export interface KeyAndCertificate {
  key: string;
  certificate: string;
}

const dayMs = 86_400_000;
const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

export function createAuthority(commonName: string, now: number): KeyAndCertificate {
  const key = newKey();
  const certificate = writeCertificate({
    subject: commonName,
    issuer: commonName,
    publicKey: key,
    issuerKey: key,
    from: now - dayMs,
    until: now + 3_650 * dayMs,
    extensions: [
      extension("2.5.29.19", sequence(yes()), true), // basicConstraints: CA
      extension("2.5.29.15", bitString(Buffer.from([0b1010_0100]), 2), true), // digitalSignature, keyEncipherment, keyCertSign
    ],
  });
  return { key: exportKey(key), certificate };
}

export interface ServerNames {
  commonName: string;
  /** DNS names and IP addresses. */
  names: readonly string[];
}

export function createServerCertificate(
  authority: KeyAndCertificate,
  { commonName, names }: ServerNames,
  now: number,
): KeyAndCertificate {
  const key = newKey();
  const certificate = writeCertificate({
    subject: commonName,
    issuer: commonNameOf(authority.certificate),
    publicKey: key,
    issuerKey: createPrivateKey(authority.key),
    from: now - dayMs,
    until: now + 365 * dayMs,
    extensions: [
      extension("2.5.29.15", bitString(Buffer.from([0b1000_0000]), 7), true), // digitalSignature
      extension("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.1"))), // serverAuth
      extension("2.5.29.17", sequence(...names.map(generalName))),
    ],
  });
  return { key: exportKey(key), certificate };
}

/** Of an authority of its own, whose key nobody keeps. */
export function createSelfMadeCertificate(
  server: ServerNames,
  now: number,
): KeyAndCertificate & { authority: string } {
  const authority = createAuthority(server.commonName, now);
  return { ...createServerCertificate(authority, server, now), authority: authority.certificate };
}

/** Whether a kept certificate still serves all these names, for at least another month. */
export function isUsable(certificate: string, names: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(certificate);
  if (parsed.validToDate.getTime() < now + 30 * dayMs) return false;
  return names.every((name) => (isIP(name) ? parsed.checkIP(name) : parsed.checkHost(name)) !== undefined);
}

function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

function exportKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function commonNameOf(certificate: string): string {
  return /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? "";
}

interface Content {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  issuerKey: KeyObject;
  from: number;
  until: number;
  extensions: readonly Buffer[];
}

/** X.509 version 3, signed with ECDSA (RFC 5280). */
function writeCertificate(content: Content): string {
  const { subject, issuer, publicKey, issuerKey, from, until, extensions } = content;
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    distinguishedName(issuer),
    sequence(time(from), time(until)),
    distinguishedName(subject),
    publicKeyInfo(publicKey),
    tagged(
      0xa3,
      sequence(
        ...extensions,
        extension("2.5.29.14", octetString(keyId(publicKey))),
        extension("2.5.29.35", sequence(tagged(0x80, keyId(issuerKey)))),
      ),
    ),
  );
  const signature = sign("sha256", body, issuerKey);
  const lines =
    sequence(body, ecdsaWithSha256, bitString(signature))
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function publicKeyInfo(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: "spki", format: "der" });
}

function keyId(key: KeyObject): Buffer {
  return createHash("sha256").update(publicKeyInfo(key)).digest().subarray(0, 20);
}

function distinguishedName(commonName: string): Buffer {
  return sequence(set(sequence(objectId("2.5.4.3"), utf8String(commonName))));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectId(id), ...(isCritical ? [yes()] : []), octetString(value));
}

function generalName(name: string): Buffer {
  const family = isIP(name);
  if (family === 0) return tagged(0x82, Buffer.from(name));
  return tagged(0x87, family === 4 ? Buffer.from(name.split(".").map(Number)) : ipv6Bytes(name));
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}
