import { randomBytes } from "node:crypto";
import type { KubeClient } from "@capstan/kube";
import { crds, type Manifest } from "@capstan/model";

const partOf = { "app.kubernetes.io/part-of": "argocd" };
const manager = "capstan-install";

export interface InstallOptions {
  kube: KubeClient;
  namespace: string;
  /** Used when there is no admin password yet. */
  passwordHash: () => Promise<string>;
  signal: AbortSignal;
}

/**
 * Brings the CRDs up to date and creates what Argo CD's own install creates and this cluster lacks.
 * What is there stays as it is: it belongs to the person.
 */
export async function installCapstan({
  kube,
  namespace,
  passwordHash,
  signal,
}: InstallOptions): Promise<void> {
  const created = await createMissing({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await Promise.all(crds().map((crd) => kube.apply(crd, { fieldManager: manager, force: true, signal })));
  if (created) await kube.discovery.refresh(signal);
  await Promise.all([
    createMissing(configMap("argocd-cm")),
    createMissing(configMap("argocd-rbac-cm")),
    createMissing(defaultProject(namespace)),
    createSecret(),
  ]);

  function configMap(name: string): Manifest {
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels: partOf } };
  }

  async function createSecret(): Promise<void> {
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "argocd-secret" };
    if (await kube.get(ref, signal)) return;
    await createMissing({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "argocd-secret", namespace, labels: partOf },
      type: "Opaque",
      stringData: {
        "admin.password": await passwordHash(),
        "admin.passwordMtime": "2020-01-01T00:00:00Z",
        "server.secretkey": randomBytes(32).toString("base64"),
      },
    });
  }

  /** true when it was not there. */
  async function createMissing(object: Manifest): Promise<boolean> {
    const { apiVersion, kind, metadata } = object;
    const ref = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? "" };
    if (await kube.get(ref, signal)) return false;
    await kube.create(object, { fieldManager: manager, signal });
    return true;
  }
}

function defaultProject(namespace: string): Manifest {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "default", namespace },
    spec: {
      sourceRepos: ["*"],
      destinations: [{ server: "*", namespace: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    },
  };
}
