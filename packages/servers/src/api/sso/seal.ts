import { hkdfSync } from "node:crypto";
import { isRecord, parseBoundedJson } from "@capstan/formats";
import { CompactEncrypt, compactDecrypt } from "jose";

/** What a sealed text is for: one kind cannot be shown as another. */
export type SealKind = "login" | "session";

/** Only who knows server.secretkey can read or make one: what a browser keeps for the server and must not see. */
export async function seal(kind: SealKind, value: object, secretKey: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(keyOf(kind, secretKey));
}

/** undefined: it is none, of another kind, or of another key. */
export async function unseal(
  kind: SealKind,
  text: string,
  secretKey: string,
): Promise<Record<string, unknown> | undefined> {
  const opened = await compactDecrypt(text, keyOf(kind, secretKey), {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  }).catch(() => undefined);
  if (opened === undefined) return undefined;
  const value = parseBoundedJson(new TextDecoder().decode(opened.plaintext));
  return isRecord(value) ? value : undefined;
}

function keyOf(kind: SealKind, secretKey: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secretKey, "capstan.dev", `sso ${kind}`, 32));
}
