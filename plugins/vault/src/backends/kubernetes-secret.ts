import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backend.ts";

const defaultNamespace = "argocd";

/** Secrets of the cluster that runs Capstan: `NAME`, or `NAMESPACE:NAME` (pkg/backends/kubernetessecret.go). */
export async function kubernetesSecretBackend(
  _settings: Settings,
  { readSecret }: BackendNeeds,
): Promise<Backend> {
  if (!readSecret) throw new Error("there is no cluster here whose Secrets could be read");
  return {
    async read({ path }, signal) {
      const [, namespace = defaultNamespace, name] = /^(?:([a-z0-9-]+):)?([a-z0-9.-]+)$/.exec(path) ?? [];
      if (name === undefined) throw new Error('the path is no "NAME" or "NAMESPACE:NAME" of a Secret');
      return readSecret({ namespace, name }, signal);
    },
  };
}
