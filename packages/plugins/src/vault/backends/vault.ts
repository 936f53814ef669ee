import { readFile } from "node:fs/promises";
import { isRecord } from "@capstan/model";
import type { Settings } from "../settings.ts";
import type { Backend, BackendNeeds, SecretAddress, SecretData } from "./backend.ts";
import { callJson, type JsonAnswer, type JsonCall } from "./call-json.ts";
import { type Post, readLogin, readVaultToken } from "./vault-login.ts";

/** What is leased is got anew before it ends, so that its successor is in use by then. */
const leaseShare = 0.9;
const tokenMarginMs = 15_000;

/** Vault's and OpenBao's key-value engine in both versions, and what they lease, over their HTTP API. */
export async function vaultBackend(settings: Settings, needs: BackendNeeds): Promise<Backend> {
  const { clock, leases, onLease } = needs;
  const vault = await openVault(settings, needs);
  return {
    async read(secret, signal) {
      const path = pathOf(secret, settings);
      const known = needs.refresh === "hard" ? undefined : leases?.get(await vault.identity(path, signal));
      if (known) {
        onLease?.(known.until);
        return known.data;
      }
      const answer = await vault.get(path, signal);
      const data = readSecret(answer, isVersionTwo(secret, settings));
      const seconds = leaseSeconds(answer);
      if (data && seconds > 0) {
        const { until: tokenUntil } = await vault.token(signal);
        // With a token everything ends that was leased to it.
        const until = Math.min(clock.now() + seconds * 1000 * leaseShare, tokenUntil - tokenMarginMs);
        leases?.keep(await vault.identity(path, signal), { data, until });
        onLease?.(until);
      }
      return data;
    },
  };
}

/** Requests with a token, which is got once for all renders of an identity. */
async function openVault(settings: Settings, { clock, tokens }: BackendNeeds) {
  const address = settings.need("VAULT_ADDR").replace(/\/+$/, "");
  const login = await readLogin(settings, clock);
  const tls = await readTls(settings);
  const namespace = settings.get("VAULT_NAMESPACE");
  const call = (path: string, { headers, ...rest }: Omit<JsonCall, "clock" | "tls">) => {
    const own = { "x-vault-request": "true", ...(namespace && { "x-vault-namespace": namespace }) };
    return callJson(`${address}/v1/${path}`, { ...rest, clock, tls, headers: { ...own, ...headers } });
  };
  const token = (signal: AbortSignal) =>
    tokens.get(login.identity, {
      login: () => login.run(post({}), signal),
      renew: async (old) =>
        readVaultToken(
          await post({ "x-vault-token": old })("auth/token/renew-self", {}, signal),
          clock.now(),
        ),
    });
  const post =
    (headers: Readonly<Record<string, string>>): Post =>
    async (path, body, signal) => {
      const answer = await call(path, { method: "POST", headers, body, signal });
      if (answer.status !== 200) throw new Error(`Vault's login: ${problemOf(answer)}`);
      return answer.body;
    };
  const ask = async (path: string, signal: AbortSignal) =>
    call(path, { headers: { "x-vault-token": (await token(signal)).token }, signal });
  return {
    token,
    /** By whom a path is read. */
    identity: async (path: string, signal: AbortSignal) => [
      ...login.identity,
      (await token(signal)).token,
      path,
    ],
    async get(path: string, signal: AbortSignal): Promise<JsonAnswer> {
      let answer = await ask(path, signal);
      if (answer.status === 403 && !login.isFixed) {
        // The token may have ended before its time: once more with a new one.
        tokens.forget(login.identity);
        answer = await ask(path, signal);
      }
      if (
        answer.status === 403 &&
        login.isFixed &&
        (await ask("auth/token/lookup-self", signal)).status === 403
      )
        throw new Error("permission denied: Vault does not know the token, it has expired or was revoked");
      return answer;
    },
  };
}

/** Of what was made for this request; a stored secret has none, though version 1 gives a hint of how often to look. */
function leaseSeconds({ body }: JsonAnswer): number {
  if (!isRecord(body) || typeof body.lease_id !== "string" || body.lease_id === "") return 0;
  return Number(body.lease_duration ?? 0);
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
