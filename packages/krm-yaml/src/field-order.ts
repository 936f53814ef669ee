import { byCodePoint } from "./values.ts";

/** Fields that stand before all others, in this order, where kyaml formats an object (kyaml yaml/order.go). */
const first = [
  "generateName namespace clusterName apiVersion kind metadata type labels annotations spec status",
  "stringData data binaryData parallelism completions backoffLimit replicas selector",
  "manualSelector template ttlSecondsAfterFinished volumeClaimTemplates service serviceName",
  "podManagementPolicy updateStrategy strategy minReadySeconds revision revisionHistoryLimit",
  "paused progressDeadlineSeconds restartPolicy terminationGracePeriodSeconds",
  "activeDeadlineSeconds dnsPolicy serviceAccountName serviceAccount automountServiceAccountToken",
  "nodeName hostNetwork hostPID hostIPC shareProcessNamespace hostname subdomain schedulerName",
  "priorityClassName priority runtimeClassName enableServiceLinks nodeSelector hostAliases",
  "initContainers containers volumes imagePullSecrets affinity tolerations dnsConfig",
  "readinessGates image command args workingDir ports envFrom env resources volumeMounts",
  "volumeDevices livenessProbe readinessProbe lifecycle terminationMessagePath",
  "terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty clusterIP",
  "externalIPs loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy",
  "sessionAffinity protocol port targetPort hostPort containerPort hostIP readOnly mountPath",
  "subPath subPathExpr mountPropagation value valueFrom fieldRef resourceFieldRef configMapKeyRef",
  "secretKeyRef prefix configMapRef secretRef CronJob DaemonSet Deployment Job ReplicaSet",
  "StatefulSet ValidatingWebhookConfiguration v1 name",
].flatMap((line) => line.split(" "));

const places = new Map(first.map((name, index) => [name, index]));

/** Compares names of fields: known ones first, the rest by name. */
export function byFieldOrder(one: string, other: string): number {
  const [left, right] = [places.get(one) ?? first.length, places.get(other) ?? first.length];
  return left === right ? byCodePoint(one, other) : left - right;
}
