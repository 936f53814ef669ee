import { createPrivateKey, X509Certificate } from "node:crypto";
import { messageOf } from "@capstan/model";

/** PEM texts. */
export interface CertificatePair {
  readonly certificate: string;
  readonly key: string;
}

/** The texts of a certificate and its key; throws where they are not that, with the names of their files. */
export function readPair(pair: CertificatePair, named: CertificatePair): CertificatePair {
  const certificate = readCertificate(pair.certificate, named.certificate);
  const key = orSay(`${named.key} holds no private key in PEM`, () => createPrivateKey(pair.key));
  if (!certificate.checkPrivateKey(key))
    throw new Error(`${named.key} is not the key of the certificate in ${named.certificate}`);
  return pair;
}

export function readAuthority(text: string, file: string): string {
  readCertificate(text, file);
  return text;
}

export function readToken(text: string, file: string): string {
  const token = text.trim();
  if (token === "") throw new Error(`${file} is empty: it must hold the token`);
  return token;
}

function readCertificate(text: string, file: string): X509Certificate {
  return orSay(`${file} holds no certificate in PEM`, () => new X509Certificate(text));
}

function orSay<Value>(what: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
