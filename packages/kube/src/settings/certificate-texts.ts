import { hash, X509Certificate } from "node:crypto";
import { messageOf } from "@capstan/model";

/** One certificate of a PEM text, with its key's algorithm, or why it cannot be read. */
export type ReadCertificate = { pem: string } & ({ certificate: X509Certificate } | { problem: string });

/** One line of ssh_known_hosts (sshd(8)); markers and comments at the end belong to `key`. */
export interface KnownHost {
  /** Names as they are written: with commas, patterns, `[host]:port`, hashed. */
  readonly hosts: string;
  /** ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa, … */
  readonly type: string;
  /** In base64, and what follows. */
  readonly key: string;
}

const maxCertificateLines = 128;

/** The certificates of a PEM text; what is around them is left alone (Argo CD: util/cert ParseTLSCertificatesFromStream). */
export function readCertificates(text: string): ReadCertificate[] {
  const found: ReadCertificate[] = [];
  let open: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (open === undefined && line.startsWith("-----BEGIN CERTIFICATE-----")) open = [];
    if (open === undefined) continue;
    open.push(line);
    if (open.length > maxCertificateLines) {
      found.push({ pem: "", problem: `has no end within ${maxCertificateLines} lines` });
      return found;
    }
    if (!line.startsWith("-----END CERTIFICATE-----")) continue;
    found.push(readCertificate(`${open.join("\n")}\n`));
    open = undefined;
  }
  if (open) found.push({ pem: "", problem: "has no line -----END CERTIFICATE-----" });
  return found;
}

function readCertificate(pem: string): ReadCertificate {
  try {
    return { pem, certificate: new X509Certificate(pem) };
  } catch (error) {
    return { pem, problem: `is no X.509 certificate (${messageOf(error)})` };
  }
}

/** undefined: the text holds certificates, all of which can be read. */
export function problemOfCertificates(text: string): string | undefined {
  const read = readCertificates(text);
  if (read.length === 0) return "holds no certificate: write PEM, -----BEGIN CERTIFICATE----- and so on";
  const at = read.findIndex((one) => "problem" in one);
  const bad = read[at];
  return bad && "problem" in bad ? `certificate ${at + 1} ${bad.problem}` : undefined;
}

/** undefined: the line is empty, a comment, or has fewer than three words. */
export function readKnownHost(line: string): KnownHost | undefined {
  const text = line.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  const [, hosts = "", type = "", key = ""] = /^(\S+) (\S+) (.+)$/.exec(text) ?? [];
  return key === "" ? undefined : { hosts, type, key };
}

/** SHA-256 of a host's key as ssh shows it, without `SHA256:`; undefined: it is no key of this type. */
export function fingerprintOf({ type, key }: Pick<KnownHost, "type" | "key">): string | undefined {
  const bytes = Buffer.from(key.split(/\s/, 1)[0] ?? "", "base64");
  const length = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0;
  // A key begins with the length and the name of its type (RFC 4253 §6.6).
  if (bytes.subarray(4, 4 + length).toString("latin1") !== type || bytes.length <= 4 + length)
    return undefined;
  return hash("sha256", bytes, "base64").replace(/=+$/, "");
}
