import type { KubeObject } from "../../types.ts";
import { goDiff, goSelector, goValue } from "../go-value.ts";
import { type JsonObject, numberAt, objectAt, sameJson, sortedKeys, textAt, valueAt } from "../json.ts";
import { validateFailurePolicy, validateSuccessPolicy } from "./job-policies.ts";
import { notNegative, subdomainName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";
import { isTimeZone, validateSchedule } from "./schedule.ts";
import { selects, validateSelector } from "./selector.ts";
import { validateNotNegative, validateTemplateMetadata } from "./workload.ts";

const amounts = [
  "parallelism",
  "completions",
  "backoffLimit",
  "activeDeadlineSeconds",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

export function validateJob(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  validateJobSpec(report, object, previous);
  if (!previous) return;
  // Both Validate and ValidateUpdate of the strategy look at the whole specification.
  validateJobSpec(report, object, previous);
  validateJobUpdate(report, object, previous);
}

function validateJobSpec(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec") ?? {};
  const uid = object.metadata.uid ?? "";
  const selector = objectAt(spec, "selector");
  if (!previous && spec.manualSelector !== true) {
    const only = { "batch.kubernetes.io/controller-uid": uid };
    if (selector && !sameJson(objectAt(selector, "matchLabels"), only))
      report.invalid("spec.selector", goSelector(selector), "`selector` not auto-generated");
  }
  validateRun(report, spec, "spec");
  if (!selector) report.required("spec.selector");
  validateSelector(report, selector, "spec.selector");
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (!selects(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      sortedKeys(labels ?? null),
      "`selector` does not match template `labels`",
    );
}

/** What a Job and the template of a CronJob share. */
function validateRun(report: Report, spec: JsonObject, field: string): void {
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

/** apimachinery/pkg/util/validation IsDomainPrefixedPath */
export function validatePrefixedPath(report: Report, path: string, field: string): void {
  const rule = 'must be a domain-prefixed path (such as "acme.io/foo")';
  const slash = path.indexOf("/");
  if (path === "") report.required(field);
  else if (slash <= 0 || slash === path.length - 1) report.invalid(field, path, rule);
  else {
    const host = path.slice(0, slash);
    report.syntax(field, host, subdomainName(host));
    const rest = path.slice(slash + 1);
    if (!/^(?:[A-Za-z0-9/\-._~%!$&'()*+,;=:]+)$/.test(rest)) report.invalid(field, rest, "Invalid path");
  }
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

const longestCronJobName = 52;

const concurrencies = ["Allow", "Forbid", "Replace"];

export function validateCronJob(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  validateSchedule(report, textAt(spec, "schedule"));
  validateNotNegative(report, object, ["spec.startingDeadlineSeconds"]);
  const zone = textAt(spec, "timeZone");
  if (zone && !isTimeZone(zone)) report.invalid("spec.timeZone", zone, `unknown time zone ${zone}`);
  const concurrency = textAt(spec, "concurrencyPolicy");
  if (!concurrency) report.required("spec.concurrencyPolicy");
  else if (!concurrencies.includes(concurrency))
    report.unsupported("spec.concurrencyPolicy", concurrency, concurrencies);
  validateRun(report, objectAt(spec, "jobTemplate", "spec") ?? {}, "spec.jobTemplate.spec");
  validateNotNegative(report, object, ["spec.successfulJobsHistoryLimit", "spec.failedJobsHistoryLimit"]);
  const name = object.metadata.name ?? "";
  if (!previous && name.length > longestCronJobName)
    report.invalid("metadata.name", name, `must be no more than ${longestCronJobName} characters`);
}
