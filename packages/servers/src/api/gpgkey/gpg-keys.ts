import { CapstanError, messageOf } from "@capstan/model";
import type { GnuPGPublicKey } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { type OpenPgpKey, readOpenPgpKeys } from "./openpgp-keys.ts";

export type GpgKeyNeeds = Pick<ApiContext, "kube" | "controlNamespace" | "rights">;

export const gpgMap = "argocd-gpg-keys-cm";

/** There are no projects for keys: a policy has them for `*` (server/gpgkey). */
export const rightTo = (action: "get" | "create" | "delete") =>
  ({ resource: "gpgkeys", action, object: "" }) as const;

/** The 16 digits by which a key is kept, of a fingerprint its last (util/gpg KeyID). */
export function readKeyId(given: string | undefined): string {
  if (/^([0-9a-f]{24})?[0-9a-f]{16}$/i.test(given ?? "")) return (given ?? "").slice(-16).toUpperCase();
  const problem = "KeyID is malformed or empty: give 16 hexadecimal digits, or a fingerprint of 40";
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "keyID", problem });
}

/** A key of the ConfigMap under its id. Rejects where it is another, or none. */
export function readStored(name: string, text: string): GnuPGPublicKey {
  const what = `key ${name} of ConfigMap ${gpgMap}`;
  const keys = parse(text, (problem) => new CapstanError({ code: "FAILED_PRECONDITION", what, problem }));
  const [key] = keys;
  if (key && keys.length === 1 && key.keyId === name.slice(-16).toUpperCase())
    return { ...shown(key), keyData: text.trimEnd() };
  const problem = keys.length === 1 ? `holds another key, ${key?.keyId}` : "holds more than one key";
  throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
}

export function readGiven(text: string): OpenPgpKey[] {
  const field = "publickey.keyData";
  if (text.trim() === "")
    throw new CapstanError({ code: "INVALID_ARGUMENT", field, problem: "submitted key data is empty" });
  return parse(text, (problem) => new CapstanError({ code: "INVALID_ARGUMENT", field, problem }));
}

function parse(text: string, failure: (problem: string) => CapstanError): OpenPgpKey[] {
  try {
    return readOpenPgpKeys(text);
  } catch (error) {
    throw failure(messageOf(error));
  }
}

export function shown({ keyId, fingerprint, owner, type }: OpenPgpKey): GnuPGPublicKey {
  return { keyID: keyId, fingerprint, owner, trust: "unknown", subType: type };
}
