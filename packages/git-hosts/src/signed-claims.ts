import { createPrivateKey, type KeyObject, sign } from "node:crypto";

/** The key of a PEM text (PKCS #1 or #8); its text is in no message. */
export function readPrivateKey(pem: string, field: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error(`${field} is no private key in PEM form`);
  }
  if (key.asymmetricKeyType !== "rsa") throw new Error(`${field} is no RSA key`);
  return key;
}

/** RFC 7519, signed with RS256. */
export function signClaims(claims: object, key: KeyObject, header: object = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "RS256", typ: "JWT", ...header })}.${encode(claims)}`;
  return `${text}.${sign("RSA-SHA256", Buffer.from(text), key).toString("base64url")}`;
}
