import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson, readAzureToken, TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { Unwrap } from "../data-key.ts";
import { checkAllowed } from "./allowed-keys.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Azure Key Vault (azkv/keysource.go). The vault's address comes from the file, so it must have been allowed. */
export function azureKeys(env: Env, clock: Clock): Unwrap {
  const settings = new Settings({}, env);
  const tokens = new TokenCache(clock);
  return async ({ fields }, signal) => {
    const { vault_url: vault = "", name = "", version = "", enc: value = "" } = fields;
    const key = `${withoutEndSlashes(vault)}/keys/${encodeURIComponent(name)}`;
    checkAllowed(env, key, []);
    const { token } = await readAzureToken(settings, { clock, signal, tokens });
    const url = `${key}/${encodeURIComponent(version)}/decrypt?api-version=7.4`;
    const answer = await callJson(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: { alg: "RSA-OAEP-256", value },
      clock,
      signal,
    });
    const plain = isRecord(answer.body) ? answer.body.value : undefined;
    if (answer.status === 200 && typeof plain === "string") return Buffer.from(plain, "base64url");
    throw new Error(`Azure answers ${answer.status} to the decryption of the key`);
  };
}
