import { isObject, type JsonObject, objectAt, textAt } from "../json.ts";
import type { ConditionalDefault } from "./rules.ts";

function rollingUnlessNamed(fields: JsonObject): void {
  if ((fields.type ?? "RollingUpdate") === "RollingUpdate") fields.rollingUpdate ??= {};
}

const jobNameLabels = ["batch.kubernetes.io/job-name", "job-name"];
const jobUidLabels = ["batch.kubernetes.io/controller-uid", "controller-uid"];

function job(fields: JsonObject): void {
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
  if (spec.manualSelector === false) generateSelector(fields, spec);
}

/** Labels of the template stand in for missing ones of the object (Job, ReplicationController). */
function inheritLabels(fields: JsonObject): void {
  const own = objectAt(fields, "metadata", "labels");
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  if (!labels || (own && Object.keys(own).length)) return;
  fields.metadata = { ...objectAt(fields, "metadata"), labels };
}

/** pkg/registry/batch/job/strategy.go generateSelector; it needs the uid, which the registry sets first. */
function generateSelector(fields: JsonObject, spec: JsonObject): void {
  const uid = textAt(fields, "metadata", "uid");
  if (!uid) return;
  const template = objectAt(spec, "template");
  const metadata = objectAt(template, "metadata");
  const labels: JsonObject = { ...objectAt(metadata, "labels") };
  for (const label of jobNameLabels) labels[label] ??= textAt(fields, "metadata", "name");
  for (const label of jobUidLabels) labels[label] ??= uid;
  spec.template = { ...template, metadata: { ...metadata, labels } };
  const selector = objectAt(spec, "selector");
  spec.selector = {
    ...selector,
    matchLabels: { "batch.kubernetes.io/controller-uid": uid, ...objectAt(selector, "matchLabels") },
  };
}

function replicationController(fields: JsonObject): void {
  inheritLabels(fields);
  const labels = objectAt(fields, "spec", "template", "metadata", "labels");
  const spec = objectAt(fields, "spec");
  if (labels && spec && !isObject(spec.selector)) fields.spec = { ...spec, selector: labels };
}

export const workloadDefaults: Record<string, ConditionalDefault> = {
  "io.k8s.api.apps.v1.DeploymentStrategy": rollingUnlessNamed,
  "io.k8s.api.apps.v1.DaemonSetUpdateStrategy": rollingUnlessNamed,
  "io.k8s.api.apps.v1.StatefulSetUpdateStrategy": rollingUnlessNamed,
  "io.k8s.api.batch.v1.Job": job,
  "io.k8s.api.core.v1.ReplicationController": replicationController,
};
