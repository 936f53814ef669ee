import type { SecretStores } from "@capstan/model";
import type { Settings } from "@capstan/secret-services/settings";
import type { SecretQuery } from "./replace-placeholders.ts";

/** By AVP_TYPE, as secret stores of projects are named. */
const stores: Readonly<Record<string, string>> = {
  vault: "vault",
  awssecretsmanager: "aws",
  gcpsecretmanager: "gcp",
  azurekeyvault: "azure",
  "1passwordconnect": "1password",
  delineasecretserver: "delinea",
  ibmsecretsmanager: "ibm",
  keepersecretsmanager: "keeper",
  kubernetessecret: "kubernetes",
  yandexcloudlockbox: "yandex",
};

/** Throws where the project may not read the secret. Files of SOPS are the repository's: their keys are asked about. */
export function requirePermitted(
  permitted: SecretStores | undefined,
  settings: Settings,
  { path, key }: Pick<SecretQuery, "path" | "key">,
): void {
  const type = settings.get("AVP_TYPE")?.trim() ?? "vault";
  if (!permitted || type === "sops") return;
  const store = Object.hasOwn(stores, type) ? (stores[type] ?? type) : type;
  permitted.require(store, pathIn(store, { path, key, settings }));
}

function pathIn(
  store: string,
  { path, key, settings }: { path: string; key: string; settings: Settings },
): string {
  if (store === "kubernetes") return path.includes(":") ? path.replace(":", "/") : `argocd/${path}`;
  if (store === "azure") return `${path}/${key}`;
  if (store !== "vault" && store !== "ibm") return path;
  // Another namespace of Vault has the same paths.
  const own = settings.get("VAULT_NAMESPACE") ?? "";
  const isOperators = own === (settings.process.VAULT_NAMESPACE ?? "");
  return isOperators ? path : `${own}/${path}`;
}
