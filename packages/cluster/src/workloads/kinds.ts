import type { KubeObject } from "../types.ts";

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface SelectorRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: readonly SelectorRequirement[];
}

export type IntOrString = number | string;

export interface NamedReference {
  name?: string;
  key?: string;
  optional?: boolean;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    configMapKeyRef?: NamedReference;
    secretKeyRef?: NamedReference;
    fieldRef?: { fieldPath: string };
  };
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  protocol?: string;
}

export interface Resources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

export interface Container {
  name: string;
  image?: string;
  command?: readonly string[];
  args?: readonly string[];
  env?: readonly EnvVar[];
  envFrom?: readonly { prefix?: string; configMapRef?: NamedReference; secretRef?: NamedReference }[];
  ports?: readonly ContainerPort[];
  volumeMounts?: readonly { name: string; mountPath: string; subPath?: string }[];
  resources?: Resources;
  restartPolicy?: string;
}

/** A key of a ConfigMap or Secret, and the path at which a volume has it. */
export interface KeyPath {
  key: string;
  path: string;
}

export interface VolumeSource {
  configMap?: NamedReference & { items?: readonly KeyPath[] };
  secret?: { secretName?: string; optional?: boolean; items?: readonly KeyPath[] };
  downwardAPI?: { items?: readonly { path: string; fieldRef?: { fieldPath: string } }[] };
  serviceAccountToken?: { path: string };
}

export interface Volume extends VolumeSource {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  projected?: {
    sources?: readonly (Omit<VolumeSource, "secret"> & {
      secret?: NamedReference & { items?: readonly KeyPath[] };
    })[];
  };
}

export interface NodeSelectorTerm {
  matchExpressions?: readonly SelectorRequirement[];
  matchFields?: readonly SelectorRequirement[];
}

export interface PodSpec {
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: readonly NodeSelectorTerm[] };
    };
  };
  schedulerName?: string;
  tolerations?: readonly { key?: string; operator?: string; value?: string; effect?: string }[];
  schedulingGates?: readonly { name: string }[];
  containers: readonly Container[];
  initContainers?: readonly Container[];
  volumes?: readonly Volume[];
  restartPolicy?: string;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  readinessGates?: readonly { conditionType: string }[];
}

export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason: string;
    message?: string;
    startedAt: string;
    finishedAt: string;
    containerID?: string;
  };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
}

export interface PodStatus {
  phase?: string;
  conditions?: readonly Condition[];
  containerStatuses?: readonly ContainerStatus[];
  initContainerStatuses?: readonly ContainerStatus[];
  podIP?: string;
  podIPs?: readonly { ip: string }[];
  hostIP?: string;
  hostIPs?: readonly { ip: string }[];
  startTime?: string;
  qosClass?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  spec: PodSpec;
}

export interface ReplicaStatus {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  fullyLabeledReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: readonly Condition[];
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: ReplicaStatus;
}

export interface ReplicationController extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: Record<string, string>;
    template?: PodTemplate;
  };
  status?: ReplicaStatus;
}

export interface DeploymentStatus extends ReplicaStatus {
  updatedReplicas?: number;
  unavailableReplicas?: number;
  collisionCount?: number;
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
    revisionHistoryLimit?: number;
    selector: LabelSelector;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString } };
    template: PodTemplate;
  };
  status?: DeploymentStatus;
}

export interface ControllerRevision extends KubeObject {
  data?: unknown;
  revision: number;
}

export interface StatefulSetStatus extends ReplicaStatus {
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    ordinals?: { start?: number };
    podManagementPolicy?: string;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    revisionHistoryLimit?: number;
    selector: LabelSelector;
    serviceName?: string;
    template: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString } };
    volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  };
  status?: StatefulSetStatus;
}

export interface DaemonSetStatus {
  currentNumberScheduled?: number;
  numberMisscheduled?: number;
  desiredNumberScheduled?: number;
  numberReady?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  collisionCount?: number;
}

export interface DaemonSet extends KubeObject {
  spec: {
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string };
  };
  status?: DaemonSetStatus;
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: readonly string[];
    resources?: Resources;
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
    selector?: LabelSelector;
  };
  status?: { phase?: string; accessModes?: readonly string[]; capacity?: Record<string, string> };
}

export function isPod(object: KubeObject): object is Pod {
  return object.kind === "Pod" && object.apiVersion === "v1";
}

export function isReplicaSet(object: KubeObject): object is ReplicaSet {
  return object.kind === "ReplicaSet" && object.apiVersion === "apps/v1";
}

export function isControllerRevision(object: KubeObject): object is ControllerRevision {
  return object.kind === "ControllerRevision" && object.apiVersion === "apps/v1";
}
