import { type MappingNode, type ScalarNode, textAt, type YamlNode } from "@capstan/krm-yaml";
import { groupOf } from "@capstan/model";
import { type Item, identityOf } from "../item.ts";
import { fieldSpec, findFields, isSelected } from "./field-specs.ts";
import { isNamespaced } from "./kube-scope.ts";

/** A resource whose name changed. */
export interface Renamed {
  group: string;
  kind: string;
  namespace: string;
  isNamespaced: boolean;
  from: string;
  to: string;
}

const podSpecs: readonly (readonly [kind: string, path: string])[] = [
  ["Pod", "spec"],
  ["PodTemplate", "template/spec"],
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job", "ReplicationController"].map(
    (kind) => [kind, "spec/template/spec"] as const,
  ),
  ["CronJob", "spec/jobTemplate/spec/template/spec"],
];

const inContainers = (field: string): string[] => [`containers/${field}`, `initContainers/${field}`];

/** Fields of pods that name another resource, by its kind (kustomize nameReference). */
const podFields: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: [
    "volumes/configMap/name",
    "volumes/projected/sources/configMap/name",
    ...inContainers("env/valueFrom/configMapKeyRef/name"),
    ...inContainers("envFrom/configMapRef/name"),
  ],
  Secret: [
    "volumes/secret/secretName",
    "volumes/projected/sources/secret/name",
    "imagePullSecrets/name",
    ...inContainers("env/valueFrom/secretKeyRef/name"),
    ...inContainers("envFrom/secretRef/name"),
  ],
  ServiceAccount: ["serviceAccountName"],
  PersistentVolumeClaim: ["volumes/persistentVolumeClaim/claimName"],
  PriorityClass: ["priorityClassName"],
};

/** The same for other kinds: kind of the referrer and its field. */
const otherFields: Readonly<Record<string, readonly (readonly [kind: string, path: string])[]>> = {
  ConfigMap: [
    ["Node", "spec/configSource/configMap"],
    ["Role", "rules/resourceNames"],
    ["ClusterRole", "rules/resourceNames"],
    ["Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"],
  ],
  Secret: [
    ["Ingress", "spec/tls/secretName"],
    ["Ingress", "metadata/annotations/ingress.kubernetes.io\\/auth-secret"],
    ["Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret"],
    ["Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret"],
    ["ServiceAccount", "imagePullSecrets/name"],
    ...["secretName", "adminSecretName", "userSecretName", "secretRef"].map(
      (field) => ["StorageClass", `parameters/${field}`] as const,
    ),
    ["Role", "rules/resourceNames"],
    ["ClusterRole", "rules/resourceNames"],
    ["PersistentVolume", "spec/azureFile/secretName"],
  ],
  Service: [
    ["StatefulSet", "spec/serviceName"],
    ["Ingress", "spec/rules/http/paths/backend/serviceName"],
    ["Ingress", "spec/backend/serviceName"],
    ["Ingress", "spec/rules/http/paths/backend/service/name"],
    ["Ingress", "spec/defaultBackend/service/name"],
    ["APIService", "spec/service/name"],
    ["ValidatingWebhookConfiguration", "webhooks/clientConfig/service"],
    ["MutatingWebhookConfiguration", "webhooks/clientConfig/service"],
  ],
  Role: [["RoleBinding", "roleRef/name"]],
  ClusterRole: [
    ["RoleBinding", "roleRef/name"],
    ["ClusterRoleBinding", "roleRef/name"],
  ],
  ServiceAccount: [
    ["RoleBinding", "subjects"],
    ["ClusterRoleBinding", "subjects"],
  ],
  PersistentVolume: [
    ["PersistentVolumeClaim", "spec/volumeName"],
    ["ClusterRole", "rules/resourceNames"],
  ],
  StorageClass: [
    ["PersistentVolume", "spec/storageClassName"],
    ["PersistentVolumeClaim", "spec/storageClassName"],
    ["StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"],
  ],
  IngressClass: [["Ingress", "spec/ingressClassName"]],
  ValidatingAdmissionPolicy: [["ValidatingAdmissionPolicyBinding", "spec/policyName"]],
  ...Object.fromEntries(
    ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map((kind) => [
      kind,
      [["HorizontalPodAutoscaler", "spec/scaleTargetRef/name"] as const],
    ]),
  ),
};

/** Lets everything that names a renamed resource name it anew. */
export function updateReferences(items: readonly Item[], renamed: readonly Renamed[]): void {
  const indexes = new Map<string, FieldIndex>();
  for (const change of renamed) {
    let index = indexes.get(change.kind);
    if (!index) {
      index = new FieldIndex(items, change.kind);
      indexes.set(change.kind, index);
    }
    for (const field of index.naming(change.from)) {
      if (!isReachable(field.item, change)) continue;
      rename(field, change);
      for (const one of indexes.values()) one.moved(field, change);
    }
  }
}

/** A scalar that is a name, or an object that holds one. */
interface NamingField {
  node: ScalarNode | MappingNode;
  item: Item;
}

/** The fields that may name a resource of one kind, by what they name: looked through anew for each name they would take ever longer. */
class FieldIndex {
  readonly #byName = new Map<string, NamingField[]>();
  readonly #nodes = new Set<YamlNode>();

  constructor(items: readonly Item[], kind: string) {
    const inPods = (podFields[kind] ?? []).flatMap((field) =>
      podSpecs.map(([owner, path]) => fieldSpec(`${path}/${field}`, owner)),
    );
    const specs = [...inPods, ...(otherFields[kind] ?? []).map(([owner, path]) => fieldSpec(path, owner))];
    for (const item of items) {
      const identity = identityOf(item);
      for (const spec of specs)
        if (isSelected(identity, spec))
          for (const { node } of findFields(item.root, spec, "scalar")) this.#take(node, item);
    }
  }

  naming(name: string): readonly NamingField[] {
    return [...(this.#byName.get(name) ?? [])];
  }

  moved(field: NamingField, { to }: Renamed): void {
    if (this.#nodes.has(field.node) && nameIn(field.node) === to) this.#put(field, to);
  }

  #take(node: YamlNode, item: Item): void {
    if (node.kind === "sequence") for (const one of node.items) this.#take(one, item);
    else if (node.kind !== "alias") {
      this.#nodes.add(node);
      this.#put({ node, item }, nameIn(node));
    }
  }

  #put(field: NamingField, name: string): void {
    const fields = this.#byName.get(name);
    if (!fields) this.#byName.set(name, [field]);
    else fields.push(field);
  }
}

function nameIn(node: ScalarNode | MappingNode): string {
  return node.kind === "scalar" ? node.value : textAt(node, "name");
}

/** Within one namespace, where none is the default one; what is in none reaches and is reached from everywhere. */
function isReachable(item: Item, { isNamespaced: isTargetNamespaced, namespace }: Renamed): boolean {
  if (!isTargetNamespaced || !isNamespaced(item)) return true;
  return (identityOf(item).namespace || "default") === (namespace || "default");
}

function rename({ node, item }: NamingField, change: Renamed): void {
  if (node.kind === "scalar") renameScalar(node, change, item);
  else renameSubject(node, change);
}

function renameScalar(node: ScalarNode, { kind, group, from, to }: Renamed, item: Item): void {
  if (node.value !== from) return;
  const target = targetOf(item);
  // A field that names its target's kind names no other.
  if (target && (target.kind !== kind || (target.group !== undefined && target.group !== group))) return;
  node.value = to;
}

/** roleRef and scaleTargetRef say which kind they mean. */
function targetOf({ root }: Item): { kind: string; group?: string } | undefined {
  const role = textAt(root, "roleRef", "kind");
  if (role !== "") return { kind: role };
  const scaled = textAt(root, "spec", "scaleTargetRef", "kind");
  if (scaled === "") return undefined;
  return { kind: scaled, group: groupOf(textAt(root, "spec", "scaleTargetRef", "apiVersion")) };
}

/** A subject, or the service of a webhook: name and namespace both have to be right. */
function renameSubject(node: MappingNode, { kind, namespace, from, to }: Renamed): void {
  const own = textAt(node, "kind");
  if (textAt(node, "name") !== from || (own !== "" && own !== kind)) return;
  const wanted = textAt(node, "namespace");
  if ((wanted || "default") !== (namespace || "default")) return;
  const name = node.entries.find(({ key }) => key.value === "name")?.value;
  if (name?.kind === "scalar") name.value = to;
}
