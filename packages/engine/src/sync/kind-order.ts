import { groupOf, type Manifest } from "@capstan/model";

/** Order in which kinds are applied within a wave (gitops-engine pkg/sync/sync_tasks.go); others come last. */
const kindOrder = [
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodSecurityPolicy",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "SecretList",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleList",
  "ClusterRoleBinding",
  "ClusterRoleBindingList",
  "Role",
  "RoleList",
  "RoleBinding",
  "RoleBindingList",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicationController",
  "ReplicaSet",
  "Deployment",
  "HorizontalPodAutoscaler",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
];
const kindRanks: ReadonlyMap<string, number> = new Map(kindOrder.map((kind, index) => [kind, index]));

export function kindRank(kind: string): number {
  return kindRanks.get(kind) ?? kindOrder.length;
}

export function isNamespaceObject(manifest: Manifest): boolean {
  return manifest.kind === "Namespace" && groupOf(manifest.apiVersion) === "";
}
