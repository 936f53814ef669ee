import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson, type JsonAnswer, type JsonCall } from "./call-json.ts";
import type { Settings } from "./settings.ts";

/** One request of Vault's HTTP API, its path without /v1/. */
export type CallVault = (path: string, call: Omit<JsonCall, "clock" | "tls">) => Promise<JsonAnswer>;

/** Vault's client (api/client.go, VAULT_MAX_RETRIES) asks twice again, from a second on. */
const waitsMs = [1000, 1500];

/** With the settings that Vault's own client reads besides the address. */
export async function connectVault(address: string, settings: Settings, clock: Clock): Promise<CallVault> {
  const tls = await readTls(settings);
  const namespace = settings.get("VAULT_NAMESPACE");
  const own = { "x-vault-request": "true", ...(namespace && { "x-vault-namespace": namespace }) };
  const base = `${withoutEndSlashes(address)}/v1`;
  return async (path, { headers, ...rest }) => {
    const call = { ...rest, clock, tls, headers: { ...own, ...headers } };
    for (const waitMs of waitsMs) {
      const answer = await callJson(`${base}/${path}`, call);
      if (!isPassing(answer)) return answer;
      await clock.sleep(waitMs, rest.signal);
    }
    return callJson(`${base}/${path}`, call);
  };
}

/** A path as people write it; of several slashes one counts, where Vault would send elsewhere. */
export function vaultPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map(encodeURIComponent).join("/");
}

/** In Vault's words, which name paths and policies and no secret. */
export function vaultProblem(answer: JsonAnswer): string {
  const { status } = answer;
  const said = errorsOf(answer).join("; ").replace(/\s+/g, " ").slice(0, 300);
  if (status === 403) return `permission denied${said && said !== "permission denied" ? ` (${said})` : ""}`;
  if (status === 307)
    return "Vault stands by and points to another server: set the address to the one that is active";
  if (status === 503) return said === "" ? "Vault is sealed or stands by" : said;
  return said === "" ? `Vault answers ${status}` : `Vault answers ${status}: ${said}`;
}

/**
 * A token that is known may not read this. Of one that is unknown, has expired or is used up Vault says the same
 * without counting, or with "invalid token" behind it.
 */
export function isRefusedByPolicy(answer: JsonAnswer): boolean {
  return /^1 error occurred:\s+\* permission denied\s*$/.test(errorsOf(answer).join());
}

function errorsOf({ body }: JsonAnswer): string[] {
  const errors = isRecord(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.filter((one) => typeof one === "string");
}

/**
 * Too many requests, a follower that has not caught up, a change of leader, in which those that stand by point to the
 * former one instead of passing on: over in a moment, and a seal is not.
 */
function isPassing(answer: JsonAnswer): boolean {
  const { status } = answer;
  if (status === 307 || status === 412 || status === 429) return true;
  return status >= 500 && status !== 501 && !errorsOf(answer).some((error) => error.includes("sealed"));
}

/** api/client.go ReadEnvironment; the authority's file counts before its bytes (rootcerts.LoadCACerts). */
async function readTls(settings: Settings): Promise<NonNullable<JsonCall["tls"]>> {
  const file = (name: string) => {
    const path = settings.get(name);
    return path === undefined ? undefined : readFile(path, "utf8");
  };
  const ca = (await file("VAULT_CACERT")) ?? settings.get("VAULT_CACERT_BYTES");
  const [cert, key] = [await file("VAULT_CLIENT_CERT"), await file("VAULT_CLIENT_KEY")];
  if ((cert === undefined) !== (key === undefined))
    throw new Error("VAULT_CLIENT_CERT and VAULT_CLIENT_KEY go together");
  const servername = settings.get("VAULT_TLS_SERVER_NAME");
  const skips = /^(1|t|true)$/i.test(settings.get("VAULT_SKIP_VERIFY") ?? "");
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(servername === undefined ? {} : { servername }),
    ...(skips ? { insecure: true } : {}),
  };
}
