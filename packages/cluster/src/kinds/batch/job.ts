import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { inheritLabels } from "../../schema/inherit-labels.ts";
import { type JsonObject, numberAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import { printDuration } from "../../schema/tables/age.ts";
import { conditionOf, containerCells, selector } from "../../schema/tables/cells.ts";
import type { KubeObject } from "../../types.ts";
import { jobs } from "../../workloads/batch/job.ts";
import type { Kind } from "../kind.ts";
import { validateJobStatus } from "./job-status.ts";
import { validateJob } from "./job-validation.ts";

const jobNameLabels = ["batch.kubernetes.io/job-name", "job-name"];

const jobUidLabels = ["batch.kubernetes.io/controller-uid", "controller-uid"];

export const job: Kind = {
  group: "batch",
  resource: "jobs",
  enums: { "JobSpec.completionMode": ["NonIndexed", "Indexed"] },
  generation: specOf,
  defaults: {
    "io.k8s.api.batch.v1.Job": defaultJob,
  },
  prepare: prepareJob,
  validate: validateJob,
  validateStatus: validateJobStatus,
  podTemplate: ["spec", "template"],
  cells: {
    Status: jobStatus,
    Completions: jobCompletions,
    Duration: jobDuration,
    ...containerCells("spec", "template"),
    Selector: selector("spec", "selector"),
  },
  selectors: { "status.successful": fieldAt("status.succeeded", "0") },
  unknownSelector: (field) => `field label "${field}" not supported for Job`,
  deletion: {
    dependents: "orphaned",
    undecided:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  simulation: { make: jobs },
};

function defaultJob(fields: JsonObject): void {
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

/** pkg/registry/batch/job/strategy.go generateSelector */
function prepareJob(object: KubeObject, previous: KubeObject | undefined): KubeObject {
  const spec = objectAt(object, "spec");
  if (previous || !spec || spec.manualSelector === true) return object;
  const { name = "", uid = "" } = object.metadata;
  const template = objectAt(spec, "template");
  const metadata = objectAt(template, "metadata");
  const labels: JsonObject = { ...objectAt(metadata, "labels") };
  for (const label of jobNameLabels) labels[label] ??= name;
  for (const label of jobUidLabels) labels[label] ??= uid;
  const selector = objectAt(spec, "selector");
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...objectAt(selector, "matchLabels") };
  const own = object.metadata.labels;
  const inherits = own === undefined || sameJson(own, objectAt(metadata, "labels"));
  return {
    ...object,
    metadata: inherits ? { ...object.metadata, labels: textsOf(labels) } : object.metadata,
    spec: {
      ...spec,
      template: { ...template, metadata: { ...metadata, labels } },
      selector: { ...selector, matchLabels },
    },
  };
}

function textsOf(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));
}

function jobStatus(job: KubeObject): string {
  const holds = (type: string): boolean => textAt(conditionOf(job, type), "status") === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function jobCompletions(job: KubeObject): string {
  const succeeded = numberAt(job, "status", "succeeded") ?? 0;
  const completions = numberAt(job, "spec", "completions");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, "spec", "parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const started = Date.parse(textAt(job, "status", "startTime"));
  const completed = Date.parse(textAt(job, "status", "completionTime"));
  if (Number.isNaN(started)) return "";
  return printDuration((Number.isNaN(completed) ? now : completed) - started);
}
