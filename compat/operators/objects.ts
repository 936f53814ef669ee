import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../kube-api/script.ts";
import { type Cluster, tool } from "./install.ts";

const keyOf = (object: Record<string, unknown>): string => {
  const { namespace = "", name } = isObject(object.metadata) ? object.metadata : {};
  return `${object.kind} ${namespace}/${name}`;
};

/** All that is in a cluster, by kind, namespace and name. */
export async function namesIn(cluster: Cluster): Promise<string[]> {
  return itemsOf(await listAll(cluster)).map(keyOf);
}

/** All that is in a cluster, without what differs between two runs, by kind, namespace and name. */
export async function objectsOf(cluster: Cluster): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const object of await restingItems(cluster)) {
    const metadata = isObject(object.metadata) ? object.metadata : {};
    if (object.type === "helm.sh/release.v1" || metadata.name === "kube-root-ca.crt") continue;
    if (isMadeInVain(object)) continue;
    found.set(keyOf(object), neutral(object));
  }
  return found;
}

/**
 * The real controller that aggregates ClusterRoles applies what it computed; where the role was deleted meanwhile that
 * makes another, bare one. Whether it does depends on the moment.
 */
function isMadeInVain({ kind, aggregationRule, metadata }: Record<string, unknown>): boolean {
  if (kind !== "ClusterRole" || aggregationRule !== undefined || !isObject(metadata)) return false;
  const owners = Array.isArray(metadata.managedFields) ? metadata.managedFields.filter(isObject) : [];
  // Of an empty list of rules nobody is recorded as the owner.
  return owners.every(({ manager }) => manager === "clusterrole-aggregation-controller");
}

/** Helm waits for nothing that it deletes: what is on its way out is looked at when it has gone, or does not go. */
async function restingItems(cluster: Cluster): Promise<Record<string, unknown>[]> {
  for (let tried = 0; ; tried += 1) {
    const items = itemsOf(await listAll(cluster));
    const isLeaving = items.some(
      ({ metadata }) => isObject(metadata) && metadata.deletionTimestamp !== undefined,
    );
    if (!isLeaving || tried >= mostLooks) return items;
    await sleep(1_000);
  }
}

/** At what stays, as by a finalizer that nobody takes away. */
const mostLooks = 60;

/** Again where a definition went meanwhile, whose objects kubectl then asks for in vain. */
async function listAll(cluster: Cluster): Promise<string> {
  for (let tried = 0; ; tried += 1) {
    const { said } = await tool(cluster, "kubectl", ["get", "customresourcedefinitions", "-o", "json"]);
    const custom = itemsOf(said).flatMap(({ spec, metadata }) =>
      isObject(spec) && isObject(spec.names) && isObject(metadata) && metadata.deletionTimestamp === undefined
        ? [`${String(spec.names.plural)}.${String(spec.group)}`]
        : [],
    );
    const all = [...builtIn, ...custom].join(",");
    const shown = ["--all-namespaces", "-o", "json", "--ignore-not-found", "--show-managed-fields"];
    const listed = await tool(cluster, "kubectl", ["get", all, ...shown]);
    if (listed.code === 0) return listed.said;
    if (tried >= 10) throw new Error(`${cluster.name} cannot be listed: ${listed.said.slice(-400)}`);
    await sleep(1_000);
  }
}

const builtIn = [
  "namespaces",
  "configmaps",
  "secrets",
  "services",
  "serviceaccounts",
  "persistentvolumeclaims",
  "resourcequotas",
  "limitranges",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "ingresses.networking.k8s.io",
  "ingressclasses.networking.k8s.io",
  "networkpolicies.networking.k8s.io",
  "poddisruptionbudgets.policy",
  "horizontalpodautoscalers.autoscaling",
  "priorityclasses.scheduling.k8s.io",
  "storageclasses.storage.k8s.io",
  "csidrivers.storage.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "clusterrolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "customresourcedefinitions.apiextensions.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
];

function itemsOf(text: string): Record<string, unknown>[] {
  if (text.trim() === "") return [];
  const list: unknown = JSON.parse(text);
  return isObject(list) && Array.isArray(list.items) ? list.items.filter(isObject) : [];
}

/** Made anew for each install: by the server, or by a chart's random passwords and certificates. */
const random = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "clusterIP",
  "clusterIPs",
  "nodePort",
  "healthCheckNodePort",
  "caBundle",
  "generation",
  "ca.crt",
  "kubernetes.io/service-account.uid",
]);

function neutral(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => neutral(item));
  if (!isObject(value)) return value;
  const isSecret = value.kind === "Secret";
  const kept = Object.entries(value).filter(([name]) => {
    if (random.has(name) || (name === "status" && value.metadata !== undefined)) return false;
    return !(key === "annotations" && /checksum|-hash$|rollme/i.test(name));
  });
  return Object.fromEntries(
    kept.map(([name, item]) => [
      name,
      isSecret && name === "data" && isObject(item) ? Object.keys(item) : neutral(item, name),
    ]),
  );
}
