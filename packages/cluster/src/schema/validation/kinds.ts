import type { KubeObject } from "../../types.ts";
import { listAt, objectAt } from "../json.ts";
import { validateRole, validateRoleBinding } from "./access.ts";
import { validateWebhooks } from "./admission.ts";
import { validateAdmissionPolicy, validatePolicyBinding } from "./admission-policies.ts";
import { validateAutoscaler } from "./autoscaling.ts";
import { validateConfigMap, validateSecret } from "./config.ts";
import { validateCsiNode } from "./csi-node.ts";
import { validateDaemonSet } from "./daemon-set.ts";
import { validateDisruptionBudget } from "./disruption-budget.ts";
import { validateEndpointSlice, validateEndpoints, validateIpAddress } from "./endpoints.ts";
import { validateEvent, validateNewEvent } from "./events.ts";
import { validateCronJob, validateJob } from "./job.ts";
import { validateLimitRange } from "./limits.ts";
import { validateFinalizer } from "./metadata.ts";
import { validateIngress, validateNetworkPolicy } from "./network.ts";
import { validateNode } from "./node.ts";
import { validateVolume } from "./persistent-volume.ts";
import { validatePodSpec } from "./pod-spec.ts";
import { validatePodUpdate } from "./pod-update.ts";
import { validateQuota } from "./quotas.ts";
import {
  validateApiService,
  validateFlowSchema,
  validateIngressClass,
  validateLease,
  validatePodTemplate,
  validatePriorityClass,
  validatePriorityLevel,
  validateRevision,
  validateRuntimeClass,
} from "./rarer.ts";
import type { Report } from "./report.ts";
import { validateService } from "./service.ts";
import { validateSigningRequest } from "./signing-request.ts";
import { validateStatefulSet } from "./stateful-set.ts";
import { validateClaim, validateStorageClass } from "./storage.ts";
import {
  validateAttachment,
  validateAttributesClass,
  validateCapacity,
  validateDriver,
} from "./storage-drivers.ts";
import { validateDeployment, validateReplicaSet, validateReplicationController } from "./workload.ts";

export type KindRule = (report: Report, object: KubeObject, previous: KubeObject | undefined) => void;

function validatePod(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validatePodSpec(report, objectAt(object, "spec"), { field: "spec" });
  if (!previous && listAt(object, "spec", "ephemeralContainers").length > 0)
    report.forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (previous) validatePodUpdate(report, object, previous);
}

function validateNamespace(report: Report, object: KubeObject): void {
  for (const finalizer of listAt(object, "spec", "finalizers"))
    validateFinalizer(report, `${finalizer}`, { field: "spec.finalizers", standard: "spec.finalizers" });
}

/** By "group/Kind"; kinds that are not here are held to their types and metadata only. */
export const kindRules: Readonly<Record<string, KindRule>> = {
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": validatePolicyBinding,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": validateAdmissionPolicy,
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": validateWebhooks,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": validateWebhooks,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": validatePriorityLevel,
  "flowcontrol.apiserver.k8s.io/FlowSchema": validateFlowSchema,
  "apiregistration.k8s.io/APIService": validateApiService,
  "networking.k8s.io/IngressClass": validateIngressClass,
  "scheduling.k8s.io/PriorityClass": validatePriorityClass,
  "node.k8s.io/RuntimeClass": validateRuntimeClass,
  "/PodTemplate": validatePodTemplate,
  "apps/ControllerRevision": validateRevision,
  "coordination.k8s.io/Lease": validateLease,
  "/LimitRange": validateLimitRange,
  "/ResourceQuota": validateQuota,
  "/Namespace": validateNamespace,
  "/Node": validateNode,
  "certificates.k8s.io/CertificateSigningRequest": validateSigningRequest,
  "discovery.k8s.io/EndpointSlice": validateEndpointSlice,
  "networking.k8s.io/IPAddress": validateIpAddress,
  "storage.k8s.io/CSIDriver": validateDriver,
  "storage.k8s.io/CSINode": validateCsiNode,
  "storage.k8s.io/CSIStorageCapacity": validateCapacity,
  "storage.k8s.io/VolumeAttachment": validateAttachment,
  "storage.k8s.io/VolumeAttributesClass": validateAttributesClass,
  "events.k8s.io/Event": validateNewEvent,
  "/Event": validateEvent,
  "/Endpoints": validateEndpoints,
  "/ConfigMap": validateConfigMap,
  "/PersistentVolume": validateVolume,
  "/PersistentVolumeClaim": validateClaim,
  "/Pod": validatePod,
  "/ReplicationController": validateReplicationController,
  "/Secret": validateSecret,
  "/Service": validateService,
  "apps/DaemonSet": validateDaemonSet,
  "apps/Deployment": validateDeployment,
  "apps/ReplicaSet": validateReplicaSet,
  "apps/StatefulSet": validateStatefulSet,
  "autoscaling/HorizontalPodAutoscaler": validateAutoscaler,
  "batch/CronJob": validateCronJob,
  "batch/Job": validateJob,
  "networking.k8s.io/Ingress": validateIngress,
  "networking.k8s.io/NetworkPolicy": validateNetworkPolicy,
  "policy/PodDisruptionBudget": validateDisruptionBudget,
  "rbac.authorization.k8s.io/ClusterRole": validateRole,
  "rbac.authorization.k8s.io/ClusterRoleBinding": validateRoleBinding,
  "rbac.authorization.k8s.io/Role": validateRole,
  "rbac.authorization.k8s.io/RoleBinding": validateRoleBinding,
  "storage.k8s.io/StorageClass": validateStorageClass,
};
