import type { KubeObject, ResourceInfo } from "../../types.ts";
import { isObject, listAt, sameJson, textAt } from "../json.ts";
import {
  address,
  labelName,
  labelValue,
  notNegative,
  pathSegmentName,
  qualifiedName,
  subdomainName,
  undottedLabelName,
} from "./names.ts";
import type { Report } from "./report.ts";

/** Kinds whose names are not plain RFC 1123 subdomains. */
const nameSyntax: Readonly<Record<string, (name: string, object: KubeObject) => string[]>> = {
  "/Namespace": undottedLabelName,
  "/Service": undottedLabelName,
  "apps/StatefulSet": labelName,
  "rbac.authorization.k8s.io/Role": pathSegmentName,
  "rbac.authorization.k8s.io/ClusterRole": pathSegmentName,
  "rbac.authorization.k8s.io/RoleBinding": pathSegmentName,
  "rbac.authorization.k8s.io/ClusterRoleBinding": pathSegmentName,
  "/Event": pathSegmentName,
  "policy/PodDisruptionBudget": pathSegmentName,
  "apiregistration.k8s.io/APIService": versionAndGroup,
  "apiextensions.k8s.io/CustomResourceDefinition": pluralAndGroup,
  "networking.k8s.io/IPAddress": address,
  "certificates.k8s.io/CertificateSigningRequest": pathSegmentName,
};

function versionAndGroup(name: string, { spec }: KubeObject): string[] {
  const wanted = `${textAt(spec, "version")}.${textAt(spec, "group")}`;
  return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
}

function pluralAndGroup(name: string, { spec }: KubeObject): string[] {
  const wanted = `${textAt(spec, "names", "plural")}.${textAt(spec, "group")}`;
  return [...subdomainName(name), ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

const largestAnnotations = 256 * 1024;
const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** apimachinery/pkg/api/validation/objectmeta.go */
export function validateMetadata(
  report: Report,
  info: ResourceInfo,
  { object, previous }: { object: KubeObject; previous: KubeObject | undefined },
): void {
  const { update, whole } = previous ? metadataPasses(info) : { update: 0, whole: 1 };
  if (!previous) validateName(report, info, object);
  for (let pass = 0; pass < Math.max(update, whole); pass += 1) {
    if (pass < whole) validateParts(report, info, object);
    if (previous && pass < update) validateUnchanged(report, object, previous);
  }
}

function validateParts(report: Report, info: ResourceInfo, object: KubeObject): void {
  const { metadata } = object;
  const { generation = 0 } = metadata;
  if (generation < 0) report.invalid("metadata.generation", generation, notNegative);
  validateLabels(report, metadata.labels, "metadata.labels");
  validateAnnotations(report, metadata.annotations);
  validateOwners(report, object);
  for (const [index, finalizer] of listAt(metadata, "finalizers").entries())
    validateFinalizer(report, `${finalizer}`, {
      field: "metadata.finalizers",
      ...(isCoreValidated(info) && { standard: `metadata.finalizers[${index}]` }),
    });
}

interface Passes {
  /** What may not change is looked at so many times. */
  update: number;
  /** And the rest of metadata so many. */
  whole: number;
}

const twiceThrice = new Set(
  `/services /podtemplates /replicationcontrollers /resourcequotas apps/deployments apps/replicasets
  apps/statefulsets apps/daemonsets batch/cronjobs autoscaling/horizontalpodautoscalers
  networking.k8s.io/networkpolicies coordination.k8s.io/leases events.k8s.io/events
  scheduling.k8s.io/priorityclasses storage.k8s.io/csidrivers
  apiextensions.k8s.io/customresourcedefinitions`.split(/\s+/),
);
const onceThrice = new Set(
  `/limitranges discovery.k8s.io/endpointslices flowcontrol.apiserver.k8s.io/prioritylevelconfigurations
  flowcontrol.apiserver.k8s.io/flowschemas storage.k8s.io/csinodes storage.k8s.io/volumeattachments
  admissionregistration.k8s.io/mutatingwebhookconfigurations
  admissionregistration.k8s.io/validatingwebhookconfigurations
  admissionregistration.k8s.io/mutatingadmissionpolicies
  admissionregistration.k8s.io/mutatingadmissionpolicybindings
  admissionregistration.k8s.io/validatingadmissionpolicies
  admissionregistration.k8s.io/validatingadmissionpolicybindings`.split(/\s+/),
);
const onceTwice = new Set(["/events", "policy/poddisruptionbudgets"]);

/**
 * An update's metadata is validated by rest.BeforeUpdate, by the kind's ValidateUpdate and often by its Validate
 * too; each says its piece, so that a client sees the same cause up to four times. Counted on kube-apiserver 1.36.3.
 */
export function metadataPasses({ group, resource }: Pick<ResourceInfo, "group" | "resource">): Passes {
  const key = `${group}/${resource}`;
  const isBuiltin = !group.includes(".") || group.endsWith(".k8s.io");
  if (!isBuiltin || twiceThrice.has(key)) return { update: 2, whole: 3 };
  if (onceThrice.has(key)) return { update: 1, whole: 3 };
  if (onceTwice.has(key)) return { update: 1, whole: 2 };
  return key === "/persistentvolumes" ? { update: 1, whole: 4 } : { update: 2, whole: 4 };
}

function validateName(report: Report, info: ResourceInfo, object: KubeObject): void {
  const syntax = nameSyntax[`${info.group}/${info.kind}`] ?? subdomainName;
  const { name = "", generateName = "" } = object.metadata;
  if (generateName && info.kind !== "ReplicationController") {
    const sample = generateName.endsWith("-") ? `${generateName.slice(0, -1)}a` : generateName;
    report.syntax("metadata.generateName", generateName, syntax(sample, object));
  }
  if (!name) report.required("metadata.name", "name or generateName is required");
  else report.syntax("metadata.name", name, syntax(name, object));
}

export function validateLabels(report: Report, labels: unknown, field: string): void {
  if (!isObject(labels)) return;
  for (const [key, value] of Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) {
    report.syntax(field, key, qualifiedName(key));
    report.syntax(field, `${value}`, labelValue(`${value}`));
  }
}

function validateAnnotations(report: Report, annotations: unknown): void {
  if (!isObject(annotations)) return;
  let size = 0;
  for (const [key, value] of Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1))) {
    size += Buffer.byteLength(key) + Buffer.byteLength(`${value}`);
    report.syntax("metadata.annotations", key, qualifiedName(key.toLowerCase()));
  }
  if (size > largestAnnotations)
    report.tooLong("metadata.annotations", `may not be more than ${largestAnnotations} bytes`);
}

function validateOwners(report: Report, { metadata }: KubeObject): void {
  const field = "metadata.ownerReferences";
  let controllers = 0;
  for (const owner of listAt(metadata, "ownerReferences")) {
    if (!textAt(owner, "apiVersion")) report.invalid(`${field}.apiVersion`, "", "version must not be empty");
    for (const name of ["kind", "name", "uid"])
      if (!textAt(owner, name)) report.invalid(`${field}.${name}`, "", "must not be empty");
    if (isObject(owner) && owner.controller === true) controllers += 1;
  }
  if (controllers > 1)
    report.invalid(field, metadata.ownerReferences, "Only one reference can have Controller set to true.");
}

const generallyValidated = new Set(
  `/Event coordination.k8s.io/Lease policy/PodDisruptionBudget node.k8s.io/RuntimeClass
  apiextensions.k8s.io/CustomResourceDefinition apiregistration.k8s.io/APIService`.split(/\s+/),
);

/** Kinds whose metadata pkg/apis/core/validation sees, not apimachinery's more general rules. */
function isCoreValidated({ group, kind }: ResourceInfo): boolean {
  if (generallyValidated.has(`${group}/${kind}`) || group === "admissionregistration.k8s.io") return false;
  return !group.includes(".") || group.endsWith(".k8s.io");
}

interface FinalizerPlace {
  field: string;
  /** Where to say that it is none of Kubernetes' own, if at all. */
  standard?: string;
}

export function validateFinalizer(
  report: Report,
  finalizer: string,
  { field, standard }: FinalizerPlace,
): void {
  report.syntax(field, finalizer, qualifiedName(finalizer));
  if (standard !== undefined && !finalizer.includes("/") && !standardFinalizers.has(finalizer))
    report.invalid(
      standard,
      finalizer,
      "name is neither a standard finalizer name nor is it fully qualified",
    );
}

function validateUnchanged(report: Report, object: KubeObject, previous: KubeObject): void {
  for (const name of ["name", "namespace", "uid", "creationTimestamp"]) {
    const now = object.metadata[name];
    const before = previous.metadata[name];
    if (now !== undefined && before !== undefined && !sameJson(now, before))
      report.invalid(`metadata.${name}`, now, "field is immutable");
  }
  for (const name of ["deletionTimestamp", "deletionGracePeriodSeconds"]) {
    const now = object.metadata[name];
    if (!sameJson(now, previous.metadata[name]))
      report.invalid(`metadata.${name}`, now ?? null, "field is immutable");
  }
}
