import { object, optional, type Static, string } from "@capstan/model/shapes";
import type { Empty, ListOf } from "./answers.ts";
import { route } from "./route.ts";

const publicKeySchema = object({
  /** 16 hexadecimal digits. */
  keyID: optional(string()),
  fingerprint: optional(string()),
  owner: optional(string()),
  trust: optional(string()),
  /** rsa4096, ed25519, … */
  subType: optional(string()),
  /** Armored; a request may hold several. */
  keyData: optional(string()),
});
export type GnuPGPublicKey = Static<typeof publicKeySchema>;
export type GnuPGPublicKeyList = ListOf<GnuPGPublicKey>;

const keys = "/api/v1/gpgkeys";

export const gpgKeyRoutes = {
  listGpgKeys: route("GET", keys, { keyID: "string" })
    .rpc("gpgkey.GPGKeyService/List")
    .answers<GnuPGPublicKeyList>(),
  getGpgKey: route("GET", `${keys}/{keyID}`, {}).rpc("gpgkey.GPGKeyService/Get").answers<GnuPGPublicKey>(),
  createGpgKeys: route("POST", keys, { upsert: "boolean" })
    .rpc("gpgkey.GPGKeyService/Create")
    .takes("publickey", publicKeySchema)
    .answers<{ created: GnuPGPublicKeyList; skipped: string[] }>(),
  deleteGpgKey: route("DELETE", keys, { keyID: "string" })
    .rpc("gpgkey.GPGKeyService/Delete")
    .answers<Empty>(),
} as const;
