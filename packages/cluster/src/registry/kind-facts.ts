import type { ResourceInfo } from "../types.ts";

/** What the strategy of a kind decides in kube-apiserver (pkg/registry/<group>/<kind>/strategy.go). */
export interface KindFacts {
  /** metadata.generation counts changes of the specification. */
  generation: boolean;
  /** What a new object's generation is; 0 is not written. */
  firstGeneration: number;
  /** PUT of an absent name creates it. */
  createOnUpdate: boolean;
  /** An apply to /status creates what is absent. */
  createOnStatusApply: boolean;
  /** An update without resourceVersion overwrites. */
  unconditionalUpdate: boolean;
  /** Dependents stay when a deletion does not say otherwise, as kubectl always does. */
  orphansDependents: boolean;
  /** DELETE answers with the object instead of a Status. */
  returnsDeleted: boolean;
  /** Metadata of a write to /status: taken over but for these fields; `undefined` where all of it is ignored. */
  statusMetadataKept: readonly string[] | undefined;
  /** What a new object's status is, whatever the client sent; undefined where the client's is taken. */
  newStatus: Readonly<Record<string, unknown>> | undefined;
}

const withGeneration = new Set(
  `apps/replicasets apps/statefulsets apps/daemonsets apps/deployments /replicationcontrollers /podtemplates /pods
  batch/jobs batch/cronjobs networking.k8s.io/ingresses networking.k8s.io/networkpolicies
  networking.k8s.io/ingressclasses policy/poddisruptionbudgets discovery.k8s.io/endpointslices
  scheduling.k8s.io/priorityclasses admissionregistration.k8s.io/mutatingwebhookconfigurations
  admissionregistration.k8s.io/validatingwebhookconfigurations
  admissionregistration.k8s.io/validatingadmissionpolicies
  admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingadmissionpolicies
  admissionregistration.k8s.io/mutatingadmissionpolicybindings apiextensions.k8s.io/customresourcedefinitions
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations`.split(
    /\s+/,
  ),
);

const countedFromNothing = "storage.k8s.io/csidrivers";

const createdByPut = new Set(
  `/limitranges /endpoints /services /events events.k8s.io/events coordination.k8s.io/leases
  rbac.authorization.k8s.io/roles rbac.authorization.k8s.io/rolebindings rbac.authorization.k8s.io/clusterroles
  rbac.authorization.k8s.io/clusterrolebindings node.k8s.io/runtimeclasses`.split(/\s+/),
);

/** Whose storage hands on that an apply may create (pkg/registry … StatusREST.Update). */
const createdByStatus = new Set(["admissionregistration.k8s.io/validatingadmissionpolicies"]);

/** Strategies of /status that take nothing of metadata. */
const statusAlone = new Set(
  `storage.k8s.io/volumeattachments admissionregistration.k8s.io/validatingadmissionpolicies
  flowcontrol.apiserver.k8s.io/flowschemas flowcontrol.apiserver.k8s.io/prioritylevelconfigurations`.split(
    /\s+/,
  ),
);

/** Strategies whose AllowUnconditionalUpdate says no. */
const versionedUpdates = new Set(
  `admissionregistration.k8s.io/mutatingadmissionpolicies admissionregistration.k8s.io/mutatingadmissionpolicybindings
  admissionregistration.k8s.io/mutatingwebhookconfigurations
  admissionregistration.k8s.io/validatingadmissionpolicies
  admissionregistration.k8s.io/validatingadmissionpolicybindings
  admissionregistration.k8s.io/validatingwebhookconfigurations apiextensions.k8s.io/customresourcedefinitions
  apiregistration.k8s.io/apiservices coordination.k8s.io/leases node.k8s.io/runtimeclasses
  policy/poddisruptionbudgets storage.k8s.io/csidrivers storage.k8s.io/csinodes
  storage.k8s.io/csistoragecapacities storage.k8s.io/volumeattachments networking.k8s.io/servicecidrs`.split(
    /\s+/,
  ),
);

const answeredWhenDeleted = new Set(
  "/pods /podtemplates /persistentvolumes /persistentvolumeclaims /resourcequotas /services /serviceaccounts storage.k8s.io/storageclasses storage.k8s.io/csidrivers storage.k8s.io/csinodes storage.k8s.io/volumeattachments storage.k8s.io/volumeattributesclasses".split(
    " ",
  ),
);

const newStatuses: Record<string, Record<string, unknown>> = {
  "/namespaces": { phase: "Active" },
  "/pods": { phase: "Pending" },
  "/persistentvolumes": { phase: "Pending" },
  "/persistentvolumeclaims": { phase: "Pending" },
  "/services": { loadBalancer: {} },
  "/replicationcontrollers": { replicas: 0 },
  "apps/replicasets": { replicas: 0 },
  "apps/statefulsets": { replicas: 0, availableReplicas: 0 },
  "apps/daemonsets": {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  },
  "networking.k8s.io/ingresses": { loadBalancer: {} },
  "policy/poddisruptionbudgets": {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  },
  "autoscaling/horizontalpodautoscalers": { currentReplicas: 0, desiredReplicas: 0, currentMetrics: null },
};

export function builtinFacts(info: ResourceInfo): KindFacts {
  const key = `${info.group}/${info.resource}`;
  return {
    generation: withGeneration.has(key) || key === countedFromNothing,
    firstGeneration: key === countedFromNothing ? 0 : 1,
    createOnUpdate: createdByPut.has(key),
    createOnStatusApply: createdByStatus.has(key),
    unconditionalUpdate: !versionedUpdates.has(key),
    orphansDependents: key === "batch/jobs" || key === "/replicationcontrollers",
    returnsDeleted: answeredWhenDeleted.has(key),
    statusMetadataKept: statusKeeps(key),
    newStatus: key === "/nodes" ? undefined : (newStatuses[key] ?? {}),
  };
}

function statusKeeps(key: string): readonly string[] | undefined {
  if (statusAlone.has(key)) return undefined;
  return key === "apps/deployments" ? ["labels", "ownerReferences"] : ["ownerReferences"];
}

export const customFacts: KindFacts = {
  generation: true,
  firstGeneration: 1,
  createOnUpdate: false,
  createOnStatusApply: false,
  unconditionalUpdate: false,
  orphansDependents: false,
  returnsDeleted: false,
  statusMetadataKept: undefined,
  newStatus: {},
};
