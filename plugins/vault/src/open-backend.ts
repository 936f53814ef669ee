import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backends/backend.ts";

type Open = (settings: Settings, needs: BackendNeeds) => Promise<Backend>;

/** Loaded when it is asked for: each has a client of its own. */
const backends: Readonly<Record<string, Open>> = {
  vault: async (settings, needs) => (await import("./backends/vault.ts")).vaultBackend(settings, needs),
  awssecretsmanager: async (settings, needs) =>
    (await import("./backends/aws.ts")).awsBackend(settings, needs),
  gcpsecretmanager: async (settings, needs) =>
    (await import("./backends/gcp.ts")).gcpBackend(settings, needs),
  azurekeyvault: async (settings, needs) =>
    (await import("./backends/azure.ts")).azureBackend(settings, needs),
  "1passwordconnect": async (settings, needs) =>
    (await import("./backends/one-password.ts")).onePasswordBackend(settings, needs),
  delineasecretserver: async (settings, needs) =>
    (await import("./backends/delinea.ts")).delineaBackend(settings, needs),
  ibmsecretsmanager: async (settings, needs) =>
    (await import("./backends/ibm.ts")).ibmBackend(settings, needs),
  keepersecretsmanager: async (settings, needs) =>
    (await import("./backends/keeper.ts")).keeperBackend(settings, needs),
  kubernetessecret: async (settings, needs) =>
    (await import("./backends/kubernetes-secret.ts")).kubernetesSecretBackend(settings, needs),
  sops: async (settings, needs) => (await import("./backends/sops-file.ts")).sopsFileBackend(settings, needs),
  yandexcloudlockbox: async (settings, needs) =>
    (await import("./backends/yandex.ts")).yandexBackend(settings, needs),
};

/** By AVP_TYPE. */
export async function openBackend(settings: Settings, needs: BackendNeeds): Promise<Backend> {
  const type = settings.get("AVP_TYPE")?.trim() ?? "vault";
  const open = Object.hasOwn(backends, type) ? backends[type] : undefined;
  if (open) return open(settings, needs);
  throw new Error(`AVP_TYPE "${type}" cannot be used here. There are ${Object.keys(backends).join(", ")}`);
}
