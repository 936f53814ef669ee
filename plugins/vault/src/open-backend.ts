import type { Settings } from "@capstan/secret-services/settings";
import { awsBackend } from "./backends/aws.ts";
import { azureBackend } from "./backends/azure.ts";
import type { Backend, BackendNeeds } from "./backends/backend.ts";
import { delineaBackend } from "./backends/delinea.ts";
import { gcpBackend } from "./backends/gcp.ts";
import { ibmBackend } from "./backends/ibm.ts";
import { keeperBackend } from "./backends/keeper.ts";
import { kubernetesSecretBackend } from "./backends/kubernetes-secret.ts";
import { onePasswordBackend } from "./backends/one-password.ts";
import { sopsFileBackend } from "./backends/sops-file.ts";
import { vaultBackend } from "./backends/vault.ts";
import { yandexBackend } from "./backends/yandex.ts";

type Open = (settings: Settings, needs: BackendNeeds) => Promise<Backend>;

const backends: Readonly<Record<string, Open>> = {
  vault: vaultBackend,
  awssecretsmanager: awsBackend,
  gcpsecretmanager: gcpBackend,
  azurekeyvault: azureBackend,
  "1passwordconnect": onePasswordBackend,
  delineasecretserver: delineaBackend,
  ibmsecretsmanager: ibmBackend,
  keepersecretsmanager: keeperBackend,
  kubernetessecret: kubernetesSecretBackend,
  sops: sopsFileBackend,
  yandexcloudlockbox: yandexBackend,
};

/** By AVP_TYPE. */
export async function openBackend(settings: Settings, needs: BackendNeeds): Promise<Backend> {
  const type = settings.get("AVP_TYPE")?.trim() ?? "vault";
  const open = Object.hasOwn(backends, type) ? backends[type] : undefined;
  if (open) return open(settings, needs);
  throw new Error(`AVP_TYPE "${type}" cannot be used here. There are ${Object.keys(backends).join(", ")}`);
}
