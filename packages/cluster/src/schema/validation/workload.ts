import type { KubeObject } from "../../types.ts";
import { isObject, type JsonObject, listAt, numberAt, objectAt, sameJson, textAt, valueAt } from "../json.ts";
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

function templateLabels(spec: unknown): JsonObject | undefined {
  return objectAt(spec, "template", "metadata", "labels");
}

interface SelectorRule {
  kind: string;
  /** Whether its absence is an error of its own. */
  required: boolean;
}

function validateTemplateSelector(
  report: Report,
  object: KubeObject,
  { kind, required }: SelectorRule,
): void {
  const spec = objectAt(object, "spec");
  const selector = objectAt(spec, "selector");
  if (!selector && required) report.required("spec.selector");
  if (selector) {
    const valid = validateSelector(report, selector, "spec.selector");
    if (isEmptySelector(selector)) {
      report.invalid(
        "spec.selector",
        selector,
        `empty selector is invalid for ${kind === "replicaset" ? "deployment" : kind}`,
      );
      return;
    }
    if (!valid) {
      if (kind !== "daemonset")
        report.invalid("spec.selector", selector, kind === "statefulset" ? "" : "invalid label selector");
      return;
    }
  }
  const labels = templateLabels(spec);
  if (!selects(selector, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels ?? null,
      "`selector` does not match template `labels`",
    );
}

function validateSame(
  report: Report,
  input: { object: KubeObject; previous: KubeObject | undefined; field: string },
): void {
  const path = input.field.split(".");
  const now = valueAt(input.object, ...path);
  if (!input.previous || sameJson(now, valueAt(input.previous, ...path))) return;
  report.invalid(input.field, now ?? null, "field is immutable");
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
  if (numberAt(object, "spec", "template", "spec", "activeDeadlineSeconds") !== undefined)
    report.forbidden(
      "spec.template.spec.activeDeadlineSeconds",
      "activeDeadlineSeconds in ReplicaSet is not Supported",
    );
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

function isNone(amount: unknown): boolean {
  return amount === 0 || amount === "0%";
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
  validateSame(report, { object, previous, field: "spec.selector" });
}

export function validateDaemonSet(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const strategy = objectAt(object, "spec", "updateStrategy");
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  validateTemplateSelector(report, object, { kind: "daemonset", required: false });
  validateTemplate(report, valueAt(object, "spec", "template"), {
    field: "spec.template",
    restart: ["Always"],
  });
  validateNotNegative(report, object, ["spec.minReadySeconds", "spec.revisionHistoryLimit"]);
  if (type !== "RollingUpdate" && type !== "OnDelete")
    report.unsupported("spec.updateStrategy", { Type: type, RollingUpdate: rolling ?? null }, [
      "RollingUpdate",
      "OnDelete",
    ]);
  const field = "spec.updateStrategy.rollingUpdate.maxUnavailable";
  for (const problem of rolling ? countOrPercent(rolling.maxUnavailable ?? 0) : [])
    report.invalid(field, rolling?.maxUnavailable, problem);
  if (type === "RollingUpdate" && isNone(rolling?.maxUnavailable) && isNone(rolling?.maxSurge))
    report.required(field, "cannot be 0 when maxSurge is 0");
  validateSame(report, { object, previous, field: "spec.selector" });
}

/** Everything else in the spec is what the set was created with. */
const statefulSetMayChange = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

export function validateStatefulSet(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const spec = objectAt(object, "spec");
  if (previous) {
    const before = objectAt(previous, "spec");
    if (!sameJson(without(spec, statefulSetMayChange), without(before, statefulSetMayChange))) {
      const names = statefulSetMayChange.map((name) => `'${name}'`);
      const list = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
      report.forbidden("spec", `updates to statefulset spec for fields other than ${list} are forbidden`);
    }
  }
  const policy = textAt(spec, "podManagementPolicy");
  if (policy !== "OrderedReady" && policy !== "Parallel")
    report.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  validateStatefulStrategy(report, objectAt(spec, "updateStrategy"));
  validateNotNegative(report, object, [
    "spec.replicas",
    "spec.ordinals.start",
    "spec.minReadySeconds",
    "spec.revisionHistoryLimit",
  ]);
  if (!previous) validateTemplateSelector(report, object, { kind: "statefulset", required: true });
  const claims = listAt(spec, "volumeClaimTemplates").map((claim) => textAt(claim, "metadata", "name"));
  validateTemplate(report, spec?.template, {
    field: "spec.template",
    restart: ["Always"],
    claimTemplates: new Set(claims),
  });
}

function without(value: JsonObject | undefined, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => !names.includes(key)));
}

function validateStatefulStrategy(report: Report, strategy: JsonObject | undefined): void {
  const type = textAt(strategy, "type");
  const rolling = objectAt(strategy, "rollingUpdate");
  if (type === "OnDelete") {
    if (rolling)
      report.invalid(
        "spec.updateStrategy.rollingUpdate",
        rolling,
        "only allowed for updateStrategy 'RollingUpdate'",
      );
  } else if (type !== "RollingUpdate")
    report.invalid(
      "spec.updateStrategy",
      { Type: type, RollingUpdate: rolling ?? null },
      "must be 'RollingUpdate' or 'OnDelete'",
    );
  const partition = numberAt(rolling, "partition");
  if (partition !== undefined && partition < 0)
    report.invalid("spec.updateStrategy.rollingUpdate.partition", partition, notNegative);
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
  const labels = templateLabels(object.spec);
  if (selector && !selects({ matchLabels: selector }, labels ?? {}))
    report.invalid(
      "spec.template.metadata.labels",
      labels ?? null,
      "`selector` does not match template `labels`",
    );
  validateTemplate(report, template, { field: "spec.template", restart: ["Always"] });
}
