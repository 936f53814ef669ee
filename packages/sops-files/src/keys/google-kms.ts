import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson, readGoogleToken, TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { Unwrap } from "../data-key.ts";
import { checkAllowed } from "./allowed-keys.ts";

type Env = Readonly<Record<string, string | undefined>>;

const idShape = /^projects\/[\w:.-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/;

/** Google Cloud KMS (gcpkms/keysource.go). */
export function googleKms(env: Env, clock: Clock): Unwrap {
  const settings = new Settings({}, env);
  const tokens = new TokenCache(clock);
  return async ({ fields }, signal) => {
    const { resource_id: id = "", enc: ciphertext = "" } = fields;
    if (!idShape.test(id)) throw new Error("its resource id is none of a key");
    checkAllowed(env, id, ["GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS"]);
    const endpoint = env.SOPS_GCP_KMS_ENDPOINT || "https://cloudkms.googleapis.com";
    const given = env.GOOGLE_OAUTH_ACCESS_TOKEN;
    const token = given || (await readGoogleToken(settings, { clock, signal, tokens })).token;
    const { status, body } = await callJson(`${withoutEndSlashes(endpoint)}/v1/${id}:decrypt`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: { ciphertext },
      clock,
      signal,
    });
    const plain = isRecord(body) ? body.plaintext : undefined;
    if (status === 200 && typeof plain === "string") return Buffer.from(plain, "base64");
    throw new Error(`Google answers ${status} to the decryption of the key`);
  };
}
