import { isApplicationNamespace } from "@capstan/engine";
import { type KubeClient, textsIn } from "@capstan/kube";
import { argoApiVersion, type Manifest, saidMetadata } from "@capstan/model";
import type { FlagValues } from "../../command.ts";
import { listed } from "./open-cluster.ts";

export const namespaceFlags = {
  "application-namespaces": {
    kind: "list",
    help: "Further namespaces of applications",
    value: "GLOB",
    byDefault: "application.namespaces of argocd-cmd-params-cm",
  },
  "applicationset-namespaces": {
    kind: "list",
    help: "Further namespaces of application sets",
    value: "GLOB",
    byDefault: "applicationsetcontroller.namespaces of argocd-cmd-params-cm",
  },
} as const;

const maps = ["argocd-cm", "argocd-rbac-cm", "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm"];

interface Place {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Which namespaces applications and sets of them are taken from, beside the control namespace. */
export interface Scope {
  includes(object: Manifest): boolean;
}

export async function readScope(
  { client, namespace, signal }: Place,
  flags: FlagValues<typeof namespaceFlags>,
): Promise<Scope> {
  const ref = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "argocd-cmd-params-cm" };
  const found = await client.get(ref, signal);
  const data = textsIn(found?.data);
  const given = (flag: keyof typeof namespaceFlags, key: string): string =>
    flags[flag]?.join(",") ?? data[key] ?? "";
  const settings: Readonly<Record<string, string>> = {
    Application: given("application-namespaces", "application.namespaces"),
    ApplicationSet: given("applicationset-namespaces", "applicationsetcontroller.namespaces"),
  };
  return {
    includes({ kind, metadata }) {
      const own = metadata.namespace ?? "";
      const setting = settings[kind];
      return setting === undefined
        ? own === namespace
        : isApplicationNamespace(own, { controlNamespace: namespace, setting });
    },
  };
}

/** All that Argo CD's backup holds, in its order (cmd/argocd/commands/admin/backup.go). */
export async function backedUp({ client, namespace, signal }: Place, scope: Scope): Promise<Manifest[]> {
  const own = (apiVersion: string, kind: string) => listed(client, { apiVersion, kind, namespace }, signal);
  const all = (kind: string) => listed(client, { apiVersion: argoApiVersion, kind }, signal);
  const configMaps = await own("v1", "ConfigMap");
  const found = [
    ...maps.flatMap((name) => configMaps.filter(({ metadata }) => metadata.name === name)),
    ...(await own("v1", "Secret")).filter(isOurSecret),
    ...(await own(argoApiVersion, "AppProject")),
    ...(await all("Application")),
    ...(await all("ApplicationSet")),
  ];
  return found.filter((object) => scope.includes(object));
}

function isOurSecret({ metadata: { name, labels, annotations } }: Manifest): boolean {
  return (
    name === "argocd-secret" ||
    labels?.["argocd.argoproj.io/secret-type"] !== undefined ||
    annotations?.["managed-by"] === "argocd.argoproj.io"
  );
}

/** Without what the cluster gave it; the namespace stands in it where it is not the control namespace. */
export function asBackup(object: Manifest, controlNamespace: string): Manifest {
  const { name = "", namespace } = object.metadata;
  return {
    ...object,
    metadata: {
      name,
      ...(namespace && namespace !== controlNamespace ? { namespace } : {}),
      ...saidMetadata(object.metadata),
    },
  };
}

export function keyOfObject({ apiVersion, kind, metadata }: Manifest): string {
  return [apiVersion, kind, metadata.namespace ?? "", metadata.name].join("/");
}
