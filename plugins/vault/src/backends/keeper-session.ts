import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  createPrivateKey,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import { isRecord, parseJson } from "@capstan/formats";

/** What `ksm` keeps of a client that has used its one-time token. */
export interface KeeperConfig {
  hostname: string;
  clientId: string;
  privateKey: KeyObject;
  /** All that belongs to the application is encrypted with it. */
  appKey: Buffer;
  serverKeyId: string;
  /** Of a Keeper of one's own. */
  serverKey?: string;
}

/** One request: encrypted for the server, signed by the client. */
export interface SealedRequest {
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  /** The answer is encrypted with it. */
  key: Buffer;
}

/** Keeper's public keys by number, uncompressed points of P-256 (Keeper's SDKs, keeper.ts initialize). */
const serverKeys: Readonly<Record<string, string>> = {
  7: "BK9w6TZFxE6nFNbMfIpULCup2a8xc6w2tUTABjxny7yFmxW0dAEojwC6j6zb5nTlmb1dAx8nwo3qF7RPYGmloRM",
  8: "BKnhy0obglZJK-igwthNLdknoSXRrGB-mvFRzyb_L-DKKefWjYdFD2888qN1ROczz4n3keYSfKz9Koj90Z6w_tQ",
  9: "BAsPQdCpLIGXdWNLdAwx-3J5lNqUtKbaOMV56hUj8VzxE2USLHuHHuKDeno0ymJt-acxWV1xPlBfNUShhRTR77g",
  10: "BNYIh_Sv03nRZUUJveE8d2mxKLIDXv654UbshaItHrCJhd6cT7pdZ_XwbdyxAOCWMkBb9AZ4t1XRCsM8-wkEBRg",
  11: "BA6uNfeYSvqagwu4TOY6wFK4JyU5C200vJna0lH4PJ-SzGVXej8l9dElyQ58_ljfPs5Rq6zVVXpdDe8A7Y3WRhk",
  12: "BMjTIlXfohI8TDymsHxo0DqYysCy7yZGJ80WhgOBR4QUd6LBDA6-_318a-jCGW96zxXKMm8clDTKpE8w75KG-FY",
  13: "BJBDU1P1H21IwIdT2brKkPqbQR0Zl0TIHf7Bz_OO9jaNgIwydMkxt4GpBmkYoprZ_DHUGOrno2faB7pmTR7HhuI",
  14: "BJFF8j-dH7pDEw_U347w2CBM6xYM8Dk5fPPAktjib-opOqzvvbsER-WDHM4ONCSBf9O_obAHzCyygxmtpktDuiE",
  15: "BDKyWBvLbyZ-jMueORl3JwJnnEpCiZdN7yUvT0vOyjwpPBCDf6zfL4RWzvSkhAAFnwOni_1tQSl8dfXHbXqXsQ8",
  16: "BDXyZZnrl0tc2jdC5I61JjwkjK2kr7uet9tZjt8StTiJTAQQmnVOYBgbtP08PWDbecxnHghx3kJ8QXq1XE68y8c",
  17: "BFX68cb97m9_sweGdOVavFM3j5ot6gveg6xT4BtGahfGhKib-zdZyO9pwvv1cBda9ahkSzo1BQ4NVXp9qRyqVGU",
  18: "BNhngQqTT1bPKxGuB6FhbPTAeNVFl8PKGGSGo5W06xWIReutm6ix6JPivqnbvkydY-1uDQTr-5e6t70G01Bb5JA",
};

/** The file of AVP_KEEPER_CONFIG_PATH: JSON, or that in base64. */
export function readKeeperConfig(text: string): KeeperConfig {
  const bare = text.trim();
  const json = bare.startsWith("{") ? bare : Buffer.from(bare, "base64").toString();
  const config = readObject(json);
  const [hostname, clientId, privateKey, appKey] = ["hostname", "clientId", "privateKey", "appKey"].map(
    (name) => config[name],
  );
  if (typeof appKey !== "string" && typeof config.clientKey === "string")
    throw new Error("Keeper's configuration has not been used yet: run `ksm` with it once");
  if (
    typeof hostname !== "string" ||
    typeof clientId !== "string" ||
    typeof privateKey !== "string" ||
    typeof appKey !== "string"
  )
    throw new Error("AVP_KEEPER_CONFIG_PATH needs hostname, clientId, privateKey and appKey");
  return {
    hostname,
    clientId,
    privateKey: readPrivateKey(privateKey),
    appKey: Buffer.from(appKey, "base64"),
    serverKeyId: String(config.serverPublicKeyId ?? "7"),
    ...(typeof config.serverPublicKey === "string" ? { serverKey: config.serverPublicKey } : {}),
  };
}

/** Keeper's SDKs, keeper.ts generateTransmissionKey and encryptAndSignPayload. */
export function sealRequest(
  { serverKey, clientId, privateKey }: KeeperConfig,
  serverKeyId: string,
  asked: Readonly<Record<string, unknown>>,
): SealedRequest {
  const server = serverKey ?? serverKeys[serverKeyId];
  if (server === undefined) throw new Error(`Keeper's key number ${serverKeyId} is unknown here`);
  const key = randomBytes(32);
  const wrapped = wrapFor(Buffer.from(server, "base64url"), key);
  const bytes = encrypt(Buffer.from(JSON.stringify({ clientVersion: "ms17.0.0", clientId, ...asked })), key);
  const signature = sign("sha256", Buffer.concat([wrapped, bytes]), privateKey);
  const headers = {
    publickeyid: serverKeyId,
    transmissionkey: wrapped.toString("base64"),
    authorization: `Signature ${signature.toString("base64")}`,
  };
  return { headers, bytes, key };
}

/** AES-256-GCM: nonce, text, tag. */
export function openSealed(sealed: Buffer, key: Buffer): Buffer {
  if (sealed.length < 28) throw new Error("Keeper's answer is too short");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch (error) {
    throw new Error("what Keeper answers cannot be decrypted with the configuration's keys", {
      cause: error,
    });
  }
}

function encrypt(plain: Buffer, key: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function wrapFor(publicKey: Buffer, key: Buffer): Buffer {
  const own = createECDH("prime256v1");
  own.generateKeys();
  const secret = createHash("sha256").update(own.computeSecret(publicKey)).digest();
  return Buffer.concat([own.getPublicKey(), encrypt(key, secret)]);
}

function readPrivateKey(text: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
  } catch {
    throw new Error("the privateKey of Keeper's configuration cannot be read");
  }
}

function readObject(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(json);
  } catch {
    value = undefined;
  }
  if (isRecord(value)) return value;
  throw new Error("AVP_KEEPER_CONFIG_PATH names no configuration of Keeper");
}
