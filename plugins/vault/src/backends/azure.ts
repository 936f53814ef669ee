import { isRecord } from "@capstan/formats";
import { callJson, readAzureToken } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backend.ts";

const apiVersion = "api-version=7.4";
const maxPages = 100;

/** Azure Key Vault: the path names a vault, the key a secret in it (pkg/backends/azurekeyvault.go). */
export async function azureBackend(settings: Settings, { clock, tokens }: BackendNeeds): Promise<Backend> {
  const get = async (url: string, signal: AbortSignal) => {
    const { token } = await readAzureToken(settings, { clock, signal, tokens });
    return callJson(url, { headers: { authorization: `Bearer ${token}` }, clock, signal });
  };
  const readKey: NonNullable<Backend["readKey"]> = async ({ path, version }, key, signal) => {
    const url = `${vaultUrl(path, settings)}/secrets/${encodeURIComponent(key)}${version ? `/${encodeURIComponent(version)}` : ""}`;
    const { status, body } = await get(`${url}?${apiVersion}`, signal);
    if (status === 200 && isRecord(body)) return body.value;
    throw new Error(status === 404 ? "there is no such secret in the key vault" : `Azure answers ${status}`);
  };
  return {
    readKey,
    async read(address, signal) {
      const names = await listNames(vaultUrl(address.path, settings), (url) => get(url, signal));
      const values = names.map(async (name) => [name, await readKey(address, name, signal)] as const);
      return Object.fromEntries(await Promise.all(values));
    },
  };
}

function vaultUrl(path: string, settings: Settings): string {
  if (!/^[a-zA-Z0-9-]{3,24}$/.test(path)) throw new Error("the path is no name of a key vault");
  return settings.get("AZURE_KEY_VAULT_ENDPOINT") ?? `https://${path}.vault.azure.net`;
}

/** Those that are enabled, of all pages; the next one is asked at the vault's own address only. */
async function listNames(
  vault: string,
  get: (url: string) => Promise<{ status: number; body: unknown }>,
): Promise<string[]> {
  const names: string[] = [];
  let url = `${vault}/secrets?${apiVersion}`;
  for (let page = 0; page < maxPages && url.startsWith(`${vault}/`); page += 1) {
    const { status, body } = await get(url);
    if (status !== 200 || !isRecord(body)) throw new Error(`Azure answers ${status}`);
    const items = Array.isArray(body.value) ? body.value.filter(isRecord) : [];
    for (const { id, attributes } of items) {
      const isEnabled = isRecord(attributes) && attributes.enabled !== false;
      if (isEnabled) names.push(String(id).split("/").at(-1) ?? "");
    }
    url = typeof body.nextLink === "string" ? body.nextLink : "";
  }
  return names;
}
