import { selectsLabels } from "@capstan/formats";
import { specOf } from "../../registry/kind-rules.ts";
import { fieldAt } from "../../registry/selectable-fields.ts";
import { goDiff, goSelector, goValue } from "../../schema/go-value.ts";
import { inheritLabels } from "../../schema/inherit-labels.ts";
import {
  type JsonObject,
  numberAt,
  objectAt,
  sameJson,
  sortedKeys,
  textAt,
  valueAt,
} from "../../schema/json.ts";
import { printDuration } from "../../schema/tables/age.ts";
import { conditionOf, containerCells, selector } from "../../schema/tables/cells.ts";
import { notNegative } from "../../schema/validation/names.ts";
import { validatePodSpec } from "../../schema/validation/pod-spec.ts";
import { validateTemplateMetadata } from "../../schema/validation/pod-template.ts";
import { validatePrefixedPath } from "../../schema/validation/prefixed-path.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";
import type { KubeObject } from "../../types.ts";
import { jobs } from "../../workloads/batch/job.ts";
import type { Kind } from "../kind.ts";
import { validateFailurePolicy, validateSuccessPolicy } from "./job-policies.ts";
import { validateJobStatus } from "./job-status.ts";

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
    // pkg/registry/batch/job storage.Delete
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

const amounts = [
  "parallelism",
  "completions",
  "backoffLimit",
  "activeDeadlineSeconds",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

/** What a Job and the template of a CronJob share. */
export function validateRun(report: Report, spec: JsonObject, field: string): void {
  for (const name of amounts) {
    const amount = numberAt(spec, name);
    if (amount !== undefined && amount < 0) report.invalid(`${field}.${name}`, amount, notNegative);
  }
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    report.required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  if (typeof spec.managedBy === "string") validatePrefixedPath(report, spec.managedBy, `${field}.managedBy`);
  validateCompletion(report, spec, field);
  if (objectAt(spec, "podFailurePolicy")) validateFailurePolicy(report, spec, `${field}.podFailurePolicy`);
  if (objectAt(spec, "successPolicy")) validateSuccessPolicy(report, spec, `${field}.successPolicy`);
  validateReplacement(report, spec, `${field}.podReplacementPolicy`);
  validateJobTemplate(report, spec, `${field}.template`);
}

function validateCompletion(report: Report, spec: JsonObject, field: string): void {
  const mode = textAt(spec, "completionMode");
  const [completions, failed] = [numberAt(spec, "completions"), numberAt(spec, "maxFailedIndexes")];
  if (mode && mode !== "NonIndexed" && mode !== "Indexed")
    report.unsupported(`${field}.completionMode`, mode, ["NonIndexed", "Indexed"]);
  if (mode === "Indexed") {
    if (completions === undefined) report.required(`${field}.completions`, "when completion mode is Indexed");
    else if (failed !== undefined && failed > completions)
      report.invalid(`${field}.maxFailedIndexes`, failed, "must be less than or equal to completions");
  }
  if (mode && mode !== "NonIndexed") return;
  for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"])
    if (spec[name] !== undefined)
      report.invalid(`${field}.${name}`, spec[name], "requires indexed completion mode");
}

function validateReplacement(report: Report, spec: JsonObject, field: string): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const allowed = objectAt(spec, "podFailurePolicy") ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (!allowed.includes(`${policy}`)) report.unsupported(field, policy, allowed);
}

/** Its Pods end, so they cannot be told to start again always. */
function validateJobTemplate(report: Report, spec: JsonObject, field: string): void {
  const template = spec.template;
  validateTemplateMetadata(report, template, field);
  validatePodSpec(report, objectAt(template, "spec"), { field: `${field}.spec`, template: true });
  const policy = textAt(template, "spec", "restartPolicy");
  const at = `${field}.spec.restartPolicy`;
  if (policy === "" || policy === "Always") report.required(at, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never")
    report.unsupported(at, policy, ["OnFailure", "Never"]);
  else if (policy !== "Never" && objectAt(spec, "podFailurePolicy"))
    report.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified');
}

function validateJob(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateJobSpec(report, object);
  if (!previous) return;
  // Both Validate and ValidateUpdate of the strategy look at the whole specification.
  validateJobSpec(report, object);
  validateJobUpdate(report, object, previous);
}

function validateJobSpec(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec") ?? {};
  const selector = objectAt(spec, "selector");
  if (selector && spec.manualSelector !== true) validateGenerated(report, object, selector);
  validateRun(report, spec, "spec");
  if (!selector) report.required("spec.selector");
  validateSelector(report, selector, "spec.selector");
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (!selectsLabels(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      sortedKeys(labels ?? null),
      "`selector` does not match template `labels`",
    );
}

/** validateGeneratedSelector */
function validateGenerated(report: Report, object: KubeObject, selector: JsonObject): void {
  const { uid = "", name = "" } = object.metadata;
  const expected: Readonly<Record<string, string>> = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const labels = objectAt(object, "spec", "template", "metadata", "labels") ?? {};
  for (const [key, value] of Object.entries(expected)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) report.required(field, `must be '${value}'`);
    else if (labels[key] !== value) report.invalid(field, sortedKeys(labels), `must be '${value}'`);
  }
  if (!selectsLabels(selector, expected))
    report.invalid("spec.selector", goSelector(selector), "`selector` not auto-generated");
}

function validateJobUpdate(report: Report, object: KubeObject, previous: KubeObject): void {
  const [now, before] = [objectAt(object, "spec"), objectAt(previous, "spec")];
  const unchanged = (name: string, type: string): void => {
    if (sameJson(now?.[name], before?.[name])) return;
    const printed = name === "selector" ? goSelector(now?.[name] ?? null) : goValue(type, now?.[name]);
    report.invalid(`spec.${name}`, printed, "field is immutable");
  };
  unchanged("completions", "*int");
  unchanged("selector", "");
  validateTemplateChange(report, object, previous);
  unchanged("completionMode", "*string");
  unchanged("podFailurePolicy", "*batch.PodFailurePolicy");
  unchanged("backoffLimitPerIndex", "*int");
  unchanged("managedBy", "*string");
  unchanged("successPolicy", "*batch.SuccessPolicy");
}

/** Of a Job that waits to be started for the first time the template may change where it says on which node. */
function validateTemplateChange(report: Report, object: KubeObject, previous: KubeObject): void {
  const waits =
    valueAt(previous, "spec", "suspend") === true && textAt(previous, "status", "startTime") === "";
  const [now, before] = [object, previous].map((of) => objectAt(of, "spec", "template"));
  const old = waits ? { ...before, metadata: now?.metadata } : before;
  const spec = objectAt(now, "spec");
  const movable = ["nodeSelector", "tolerations", "schedulingGates", "affinity", "containers"];
  const moved = waits ? Object.fromEntries(movable.map((name) => [name, spec?.[name]])) : {};
  const expected = { ...old, spec: { ...objectAt(old, "spec"), ...moved } };
  if (goDiff("core.PodTemplateSpec", expected, now) !== "")
    report.invalid("spec.template", goValue("core.PodTemplateSpec", now), "field is immutable");
}
