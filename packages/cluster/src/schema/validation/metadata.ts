import type { KubeObject } from "../../types.ts";
import { isObject, listAt, sameJson, textAt } from "../json.ts";
import { labelValue, notNegative, qualifiedName, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";

/** Writes a name's faults. Of the object some names depend on other fields. */
export type NameSyntax = (name: string, object: KubeObject) => string[];

/** How kube-apiserver looks at the metadata of the kind. */
export interface MetadataRules {
  /** Of its names; usually that of RFC 1123 subdomains. */
  readonly nameSyntax?: NameSyntax;
  readonly takesAnyGenerateName?: true;
  readonly metadataPasses?: MetadataPasses;
  /** By apimachinery's general rules, where usually pkg/apis/core/validation adds its own on finalizers. */
  readonly isGenerallyValidated?: true;
}

const largestAnnotations = 256 * 1024;

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** apimachinery/pkg/api/validation/objectmeta.go */
export function validateMetadata(
  report: Report,
  rules: MetadataRules,
  { object, previous }: { object: KubeObject; previous: KubeObject | undefined },
): void {
  const { update, whole } = previous ? metadataPasses(rules) : { update: 0, whole: 1 };
  if (!previous) validateName(report, rules, object);
  for (let pass = 0; pass < Math.max(update, whole); pass += 1) {
    if (pass < whole) validateParts(report, rules, object);
    if (previous && pass < update) validateUnchanged(report, object, previous);
  }
}

function validateParts(report: Report, rules: MetadataRules, object: KubeObject): void {
  const { metadata } = object;
  const { generation = 0 } = metadata;
  if (generation < 0) report.invalid("metadata.generation", generation, notNegative);
  validateLabels(report, metadata.labels, "metadata.labels");
  validateAnnotations(report, metadata.annotations);
  validateOwners(report, object);
  for (const [index, finalizer] of listAt(metadata, "finalizers").entries())
    validateFinalizer(report, `${finalizer}`, {
      field: "metadata.finalizers",
      ...(!rules.isGenerallyValidated && { standard: `metadata.finalizers[${index}]` }),
    });
}

/**
 * An update's metadata is validated by rest.BeforeUpdate, by the kind's ValidateUpdate and often by its Validate
 * too; each says its piece, so that a client sees the same cause up to four times. Counted on kube-apiserver 1.36.3.
 */
export interface MetadataPasses {
  /** What may not change is looked at so many times. */
  readonly update: number;
  /** And the rest of metadata so many. */
  readonly whole: number;
}

export function metadataPasses({ metadataPasses: passes }: MetadataRules): MetadataPasses {
  return passes ?? { update: 2, whole: 4 };
}

function validateName(
  report: Report,
  { nameSyntax: syntax = subdomainName, takesAnyGenerateName }: MetadataRules,
  object: KubeObject,
): void {
  const { name = "", generateName = "" } = object.metadata;
  if (generateName && !takesAnyGenerateName) {
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
