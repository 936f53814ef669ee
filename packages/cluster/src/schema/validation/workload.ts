import type { KubeObject } from "../../types.ts";
import { goSelector } from "../go-value.ts";
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  sameJson,
  sortedKeys,
  textAt,
  valueAt,
} from "../json.ts";
import { validateLabels } from "./metadata.ts";
import { atMostWhole, countOrPercent, notNegative, qualifiedName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";
import { isEmptySelector, selects, validateSelector } from "./selector.ts";

/** The template of a Pod; `restart` lists the policies that the workload allows. */
export function validateTemplate(
  report: Report,
  template: unknown,
  options: { field: string; restart: readonly string[]; claimTemplates?: ReadonlySet<string> },
): void {
  const { field, restart, claimTemplates } = options;
  const spec = objectAt(template, "spec");
  validateTemplateMetadata(report, template, field);
  const place = { field: `${field}.spec`, template: true, ...(claimTemplates ? { claimTemplates } : {}) };
  validatePodSpec(report, spec, place);
  const policy = textAt(spec, "restartPolicy");
  if (!policy || restart.includes(policy)) return;
  report.unsupported(`${field}.spec.restartPolicy`, policy, restart);
}

/** Of the metadata of a template only labels and annotations are looked at. */
export function validateTemplateMetadata(report: Report, template: unknown, field: string): void {
  validateLabels(report, valueAt(template, "metadata", "labels"), `${field}.labels`);
  const annotations = objectAt(template, "metadata", "annotations") ?? {};
  for (const key of Object.keys(annotations).sort())
    report.syntax(`${field}.annotations`, key, qualifiedName(key.toLowerCase()));
}

export function validateNotNegative(report: Report, object: unknown, fields: readonly string[]): void {
  for (const field of fields) {
    const amount = numberAt(object, ...field.split("."));
    if (amount !== undefined && amount < 0) report.invalid(field, amount, notNegative);
  }
}

interface SelectorRule {
  kind: string;
  /** Whether its absence is an error of its own. */
  required: boolean;
}

export function validateTemplateSelector(
  report: Report,
  object: KubeObject,
  { kind, required }: SelectorRule,
): void {
  const spec = objectAt(object, "spec");
  const selector = objectAt(spec, "selector");
  if (!selector && required) report.required("spec.selector");
  const printed = goSelector(selector);
  const isValid = validateSelector(report, selector, "spec.selector");
  const isEmpty = selector !== undefined && isEmptySelector(selector);
  const refuseEmpty = (): void =>
    report.invalid(
      "spec.selector",
      printed,
      `empty selector is invalid for ${kind === "replicaset" ? "deployment" : kind}`,
    );
  if (isEmpty && kind !== "daemonset") refuseEmpty();
  if (!isValid && kind !== "daemonset")
    report.invalid("spec.selector", printed, kind === "statefulset" ? "" : "invalid label selector");
  // An empty selector selects everything, none selects nothing.
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (isValid && !isEmpty && !selects(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels === undefined ? null : sortedKeys(labels),
      "`selector` does not match template `labels`",
    );
  if (isEmpty && kind === "daemonset") refuseEmpty();
}

export function validateSame(
  report: Report,
  input: { object: KubeObject; previous: KubeObject | undefined; field: string },
): void {
  const path = input.field.split(".");
  const now = valueAt(input.object, ...path);
  if (!input.previous || sameJson(now, valueAt(input.previous, ...path))) return;
  report.invalid(input.field, goSelector(now ?? null), "field is immutable");
}

export function validateDeployment(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  validateTemplateSelector(report, object, { kind: "deployment", required: true });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "ReplicaSet");
  validateNotNegative(report, object, ["spec.replicas", "spec.revisionHistoryLimit", "spec.minReadySeconds"]);
  validateDeploymentStrategy(report, objectAt(object, "spec", "strategy"));
  const deadline = numberAt(object, "spec", "progressDeadlineSeconds");
  if (deadline !== undefined && deadline <= (numberAt(object, "spec", "minReadySeconds") ?? 0))
    report.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  validateSame(report, { object, previous, field: "spec.selector" });
}

function validateDeploymentStrategy(report: Report, strategy: JsonObject | undefined): void {
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  const field = "spec.strategy.rollingUpdate";
  if (type === "Recreate" && rolling)
    report.forbidden(field, "may not be specified when strategy `type` is 'Recreate'");
  else if (type !== "Recreate" && type !== "RollingUpdate")
    report.unsupported("spec.strategy", { Type: type, RollingUpdate: rolling ?? null }, [
      "Recreate",
      "RollingUpdate",
    ]);
  if (type !== "RollingUpdate" || !rolling) return;
  const { maxSurge, maxUnavailable } = rolling;
  const before = report.errors.length;
  for (const problem of [...countOrPercent(maxUnavailable), ...atMostWhole(maxUnavailable)])
    report.invalid(`${field}.maxUnavailable`, maxUnavailable, problem);
  for (const problem of countOrPercent(maxSurge)) report.invalid(`${field}.maxSurge`, maxSurge, problem);
  if (report.errors.length === before && isNone(maxSurge) && isNone(maxUnavailable))
    report.invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
}

export function isNone(amount: unknown): boolean {
  return typeof amount === "string" ? !/^0*[1-9]\d*%$/.test(amount) : amount === 0;
}

export function validateReplicaSet(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  validateNotNegative(report, object, ["spec.replicas", "spec.minReadySeconds"]);
  validateTemplateSelector(report, object, { kind: "replicaset", required: true });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  refuseDeadline(report, object, "ReplicaSet");
  validateSame(report, { object, previous, field: "spec.selector" });
}

export function validateReplicationController(report: Report, object: KubeObject): void {
  validateNotNegative(report, object, ["spec.replicas", "spec.minReadySeconds"]);
  const selector = objectAt(object, "spec", "selector");
  const template = objectAt(object, "spec", "template");
  if (!selector || Object.keys(selector).length === 0) report.required("spec.selector");
  if (!isObject(template)) {
    report.required("spec.template");
    return;
  }
  const labels = objectAt(object, "spec", "template", "metadata", "labels");
  if (selector && !selects({ matchLabels: selector }, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels ?? null,
      "`selector` does not match template `labels`",
    );
  validateTemplate(report, template, { field: "spec.template", restart: ["Always"] });
  refuseDeadline(report, object, "ReplicationController");
}

export function refuseDeadline(report: Report, object: KubeObject, kind: string): void {
  if (numberAt(object, "spec", "template", "spec", "activeDeadlineSeconds") !== undefined)
    report.forbidden(
      "spec.template.spec.activeDeadlineSeconds",
      `activeDeadlineSeconds in ${kind} is not Supported`,
    );
}
