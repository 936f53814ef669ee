import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { connectVault, vaultPath, vaultProblem } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { Unwrap } from "../data-key.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Vault's transit engine. The address comes from the file, and with it goes a token: only addresses of
 * SOPS_HC_VAULT_ALLOWLIST are asked ("all", "none" or a list), or VAULT_ADDR where it is not set. sops itself
 * asks all by default.
 */
export function vaultTransit(env: Env, clock: Clock): Unwrap {
  return async ({ fields }, signal) => {
    const { vault_address: address = "", engine_path: engine = "", key_name: name = "" } = fields;
    if (!isAllowed(address, env))
      throw new Error("its address is not in SOPS_HC_VAULT_ALLOWLIST, so no token is sent there");
    const call = await connectVault(address, new Settings({}, env), clock);
    const answer = await call(`${vaultPath(engine)}/decrypt/${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "x-vault-token": await readToken(env) },
      body: { ciphertext: fields.enc },
      signal,
    });
    if (answer.status !== 200) throw new Error(vaultProblem(answer));
    const data = isRecord(answer.body) ? answer.body.data : undefined;
    const plaintext = isRecord(data) ? data.plaintext : undefined;
    if (typeof plaintext !== "string") throw new Error("Vault's answer holds no key");
    return Buffer.from(plaintext, "base64");
  };
}

function isAllowed(address: string, env: Env): boolean {
  const listed = env.SOPS_HC_VAULT_ALLOWLIST ?? env.VAULT_ADDR ?? "none";
  if (listed === "all") return true;
  const bare = (text: string) => withoutEndSlashes(text.trim());
  return listed.split(",").map(bare).includes(bare(address));
}

async function readToken(env: Env): Promise<string> {
  if (env.VAULT_TOKEN) return env.VAULT_TOKEN.trim();
  const file = env.HOME === undefined ? undefined : join(env.HOME, ".vault-token");
  const token = file && (await readFile(file, "utf8").catch(() => ""));
  if (token) return token.trim();
  throw new Error("no token for Vault: set VAULT_TOKEN");
}
