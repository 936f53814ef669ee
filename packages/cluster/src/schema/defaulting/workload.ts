import { isObject, type JsonObject, objectAt } from "../json.ts";

export function rollingUnlessNamed(fields: JsonObject): void {
  if ((fields.type ?? "RollingUpdate") === "RollingUpdate") fields.rollingUpdate ??= {};
}

export function defaultJob(fields: JsonObject): void {
  const spec: JsonObject = { ...objectAt(fields, "spec") };
  if (spec.completions == null && spec.parallelism == null) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex == null ? 6 : 2 ** 31 - 1;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy == null ? "TerminatingOrFailed" : "Failed";
  fields.spec = spec;
  inheritLabels(fields);
}

/** The field that became an annotation in apps/v1; the registry counts it up. */
export function defaultDaemonSet(fields: JsonObject): void {
  const metadata = objectAt(fields, "metadata");
  const annotations = {
    "deprecated.daemonset.template.generation": "0",
    ...objectAt(metadata, "annotations"),
  };
  fields.metadata = { ...metadata, annotations };
}

/** Labels of the template stand in for missing ones of the object (Job, ReplicationController). */
function inheritLabels(fields: JsonObject): void {
  const own = objectAt(fields, "metadata", "labels");
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  if (!labels || (own && Object.keys(own).length)) return;
  fields.metadata = { ...objectAt(fields, "metadata"), labels };
}

export function defaultReplicationController(fields: JsonObject): void {
  inheritLabels(fields);
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  const spec = objectAt(fields, "spec");
  const isUnset = !isObject(spec?.selector) || Object.keys(spec.selector).length === 0;
  if (labels && spec && isUnset) fields.spec = { ...spec, selector: labels };
}

export function rollingByDefault(fields: JsonObject): void {
  if (fields.type === undefined) fields.rollingUpdate ??= {};
}
