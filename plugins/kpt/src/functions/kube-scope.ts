import { groupOf } from "@capstan/model";
import { type Item, identityOf } from "../item.ts";

/** Built-in kinds of Kubernetes that live in no namespace. */
const clusterKinds = new Map<string, readonly string[]>([
  ["", ["ComponentStatus", "Namespace", "Node", "PersistentVolume"]],
  [
    "admissionregistration.k8s.io",
    [
      "MutatingWebhookConfiguration",
      "ValidatingWebhookConfiguration",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
    ],
  ],
  ["apiextensions.k8s.io", ["CustomResourceDefinition"]],
  ["apiregistration.k8s.io", ["APIService"]],
  ["authentication.k8s.io", ["TokenReview", "SelfSubjectReview"]],
  ["authorization.k8s.io", ["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"]],
  ["certificates.k8s.io", ["CertificateSigningRequest"]],
  ["flowcontrol.apiserver.k8s.io", ["FlowSchema", "PriorityLevelConfiguration"]],
  ["internal.apiserver.k8s.io", ["StorageVersion"]],
  ["networking.k8s.io", ["IngressClass"]],
  ["node.k8s.io", ["RuntimeClass"]],
  ["policy", ["PodSecurityPolicy"]],
  ["rbac.authorization.k8s.io", ["ClusterRole", "ClusterRoleBinding"]],
  ["scheduling.k8s.io", ["PriorityClass"]],
  ["storage.k8s.io", ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]],
]);

const namespacedKinds = new Map<string, readonly string[]>([
  [
    "",
    [
      "Binding",
      "ConfigMap",
      "Endpoints",
      "Event",
      "LimitRange",
      "PersistentVolumeClaim",
      "Pod",
      "PodTemplate",
      "ReplicationController",
      "ResourceQuota",
      "Secret",
      "Service",
      "ServiceAccount",
    ],
  ],
  ["apps", ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]],
  ["authorization.k8s.io", ["LocalSubjectAccessReview"]],
  ["autoscaling", ["HorizontalPodAutoscaler"]],
  ["batch", ["CronJob", "Job"]],
  ["coordination.k8s.io", ["Lease"]],
  ["discovery.k8s.io", ["EndpointSlice"]],
  ["events.k8s.io", ["Event"]],
  ["extensions", ["Ingress"]],
  ["networking.k8s.io", ["Ingress", "NetworkPolicy"]],
  ["policy", ["PodDisruptionBudget"]],
  ["rbac.authorization.k8s.io", ["Role", "RoleBinding"]],
  ["storage.k8s.io", ["CSIStorageCapacity"]],
]);

/** Whether an object lives in a namespace: built-in kinds are known, others do where they name one (SDK IsNamespaceScoped). */
export function isNamespaced(item: Item): boolean {
  if (isClusterScoped(item)) return false;
  const { apiVersion, kind, namespace } = identityOf(item);
  return namespacedKinds.get(groupOf(apiVersion))?.includes(kind) === true || namespace !== "";
}

/** Whether it is of a built-in kind that lives in no namespace. */
export function isClusterScoped(item: Item): boolean {
  const { apiVersion, kind } = identityOf(item);
  return clusterKinds.get(groupOf(apiVersion))?.includes(kind) === true;
}
