import type { Manifest } from "@capstan/model";
import { fillPlaceholders } from "@capstan/plugin-vault/values";
import { TokenCache } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import { type RealVault, realClock } from "@capstan/testkit";

type FillNeeds = Parameters<typeof fillPlaceholders>[2];

/** What outlives a render, and what else one has. */
export type Needs = Partial<FillNeeds>;

export const newTokens = (): TokenCache => new TokenCache(realClock);

export const asRoot = (vault: RealVault): Record<string, string> => ({
  VAULT_ADDR: vault.address,
  VAULT_TOKEN: vault.rootToken,
});

export function configMap(data: Record<string, unknown>, annotations: Record<string, string> = {}): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", annotations }, data };
}

/** A render of its own: the data of the one manifest. */
export async function fill(
  env: Record<string, string>,
  manifest: Manifest,
  needs: Needs = {},
): Promise<unknown> {
  const own = { clock: realClock, tokens: newTokens(), signal: AbortSignal.timeout(60_000), ...needs };
  const [filled] = await fillPlaceholders([{ manifest }], new Settings({}, env), own);
  return filled?.manifest.data;
}

/** The value of one placeholder, in a render of its own. */
export async function oneValue(
  env: Record<string, string>,
  address: string,
  needs: Needs & { annotations?: Record<string, string> } = {},
): Promise<unknown> {
  const { annotations, ...more } = needs;
  const manifest = { ...configMap({ value: `<path:${address}>` }, annotations), kind: "Sample" };
  const data = await fill(env, manifest, more);
  return Object(data).value;
}

/** The kv-version of a document whose paths are of version 1. */
export const versionOne = { annotations: { "avp.kubernetes.io/kv-version": "1" } };
