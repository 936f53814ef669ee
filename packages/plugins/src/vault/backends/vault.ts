import { readFile } from "node:fs/promises";
import { type Clock, isRecord } from "@capstan/model";
import type { Settings } from "../settings.ts";
import type { Backend, SecretAddress, SecretData } from "./backend.ts";
import { callJson, type JsonAnswer, type JsonCall } from "./call-json.ts";
import { readLogin, type TokenCache } from "./vault-login.ts";

/** Vault's and OpenBao's key-value engine in both versions, over their HTTP API. */
export async function vaultBackend(
  settings: Settings,
  { clock, tokens }: { clock: Clock; tokens: TokenCache },
): Promise<Backend> {
  const address = settings.need("VAULT_ADDR").replace(/\/+$/, "");
  const login = await readLogin(settings, clock);
  const tls = await readTls(settings);
  const namespace = settings.get("VAULT_NAMESPACE");
  const call = (path: string, { headers, ...rest }: Omit<JsonCall, "clock" | "tls">) =>
    callJson(`${address}/v1/${path}`, {
      ...rest,
      clock,
      tls,
      headers: {
        "x-vault-request": "true",
        ...(namespace && { "x-vault-namespace": namespace }),
        ...headers,
      },
    });
  const token = (signal: AbortSignal) =>
    tokens.get(login.identity, () =>
      login.run(async (path, body, inner) => {
        const answer = await call(path, { method: "POST", body, signal: inner });
        if (answer.status !== 200) throw new Error(`Vault's login: ${problemOf(answer)}`);
        return answer.body;
      }, signal),
    );
  const get = async (path: string, signal: AbortSignal) =>
    call(path, { headers: { "x-vault-token": await token(signal) }, signal });
  return {
    async read(secret, signal) {
      const path = pathOf(secret, settings);
      let answer = await get(path, signal);
      if (answer.status === 403) {
        // The token may have ended before its time: once more with a new one.
        tokens.forget(login.identity);
        answer = await get(path, signal);
      }
      return readSecret(answer, isVersionTwo(secret, settings));
    },
  };
}

function isVersionTwo({ kvVersion }: SecretAddress, settings: Settings): boolean {
  const version = kvVersion ?? settings.get("AVP_KV_VERSION") ?? "2";
  if (version !== "1" && version !== "2")
    throw new Error(`AVP_KV_VERSION "${version}" is unknown: use 1 or 2`);
  return version === "2";
}

function pathOf(secret: SecretAddress, settings: Settings): string {
  const path = secret.path.replace(/^\/+/, "").split("/").map(encodeURIComponent).join("/");
  if (secret.version === undefined || !isVersionTwo(secret, settings)) return path;
  if (!/^\d+$/.test(secret.version)) throw new Error(`version "${secret.version}" is no number`);
  return `${path}?version=${secret.version}`;
}

function readSecret(answer: JsonAnswer, isVersionTwo: boolean): SecretData | undefined {
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(problemOf(answer));
  const outer = isRecord(answer.body) && isRecord(answer.body.data) ? answer.body.data : undefined;
  if (!isVersionTwo) return outer;
  if (outer && isRecord(outer.data)) return outer.data;
  // A deleted version has metadata and no data.
  if (outer && "metadata" in outer) return undefined;
  throw new Error('this is no secret of version 2. Write "/data/" into the path, or set the version to 1');
}

/** In Vault's words, which name paths and policies and no secret. */
function problemOf({ status, body }: JsonAnswer): string {
  const errors =
    isRecord(body) && Array.isArray(body.errors) ? body.errors.filter((one) => typeof one === "string") : [];
  const said = errors.join("; ").replace(/\s+/g, " ").slice(0, 300);
  if (status === 403) return `permission denied${said && said !== "permission denied" ? ` (${said})` : ""}`;
  if (status === 503) return said === "" ? "Vault is sealed or stands by" : said;
  return said === "" ? `Vault answers ${status}` : `Vault answers ${status}: ${said}`;
}

async function readTls(settings: Settings): Promise<NonNullable<JsonCall["tls"]>> {
  const file = settings.get("VAULT_CACERT");
  const servername = settings.get("VAULT_TLS_SERVER_NAME");
  const skips = /^(1|t|true)$/i.test(settings.get("VAULT_SKIP_VERIFY") ?? "");
  return {
    ...(file === undefined ? {} : { ca: await readFile(file, "utf8") }),
    ...(servername === undefined ? {} : { servername }),
    ...(skips ? { rejectUnauthorized: false } : {}),
  };
}
