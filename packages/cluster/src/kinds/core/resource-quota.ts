import { parseQuantity } from "@capstan/formats";
import { goValue } from "../../schema/go-value.ts";
import { type JsonObject, listAt, objectAt, sameJson, textAt } from "../../schema/json.ts";
import { notNegative, qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const resourceQuota: Kind = {
  group: "",
  resource: "resourcequotas",
  metadataPasses: { update: 2, whole: 3 },
  validate: validateQuota,
  cells: {
    Request: (object) => quota(object, false),
    Limit: (object) => quota(object, true),
  },
  deletion: {
    answersObject: true,
  },
};

function quota(object: KubeObject, limits: boolean): string {
  const hard = objectAt(object, "status", "hard") ?? {};
  const used = objectAt(object, "status", "used") ?? {};
  return Object.keys(hard)
    .sort()
    .filter((name) => name.startsWith("limits.") === limits)
    .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(", ");
}

const counted = [
  "pods",
  "replicationcontrollers",
  "services",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];

const measured = ["cpu", "memory", "ephemeral-storage"];

const limited = new Set([
  ...counted,
  ...measured,
  ...measured.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  "requests.storage",
]);

const scopes = [
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
];

/** pkg/apis/core/validation ValidateResourceQuota and ValidateResourceQuotaUpdate */
function validateQuota(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  for (const [name, amount] of Object.entries(objectAt(spec, "hard") ?? {})) {
    const field = `spec.hard[${name}]`;
    validateQuotaName(report, name, field);
    validateAmount(report, `${amount}`, { field, whole: isCounted(name) });
  }
  const names = Object.keys(objectAt(spec, "hard") ?? {}).filter((name) => limited.has(name));
  validateScopes(report, listAt(spec, "scopes"), names.sort());
  const selector = objectAt(spec, "scopeSelector");
  if (selector) validateScopeSelector(report, selector, names);
  const [now, before] = [object, previous].map((of) => [...new Set(listAt(of, "spec", "scopes"))].sort());
  if (previous && !sameJson(now, before))
    report.invalid("spec.scopes", spec?.scopes ?? null, "field is immutable");
}

const ofPods = ["pods"];

const ofCompute = [
  ...["cpu", "memory"].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]),
  ...ofPods,
];

const ofScope: Readonly<Record<string, readonly string[]>> = {
  BestEffort: ofPods,
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};

const conflicting = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

/** What a scope does not count (pkg/apis/core/helper IsResourceQuotaScopeValidForResource). */
function uncounted(scope: string, names: readonly string[]): readonly string[] {
  if (!scopes.includes(scope)) return [];
  return names.filter((name) => !(ofScope[scope] ?? ofCompute).includes(name));
}

function validateScopes(report: Report, asked: readonly unknown[], names: readonly string[]): void {
  const field = "spec.scopes";
  for (const scope of asked) {
    if (!scopes.includes(`${scope}`)) report.invalid(field, asked, "unsupported scope");
    for (const _name of uncounted(`${scope}`, names))
      report.invalid(field, asked, "unsupported scope applied to resource");
  }
  if (conflicting.some((pair) => pair.every((scope) => asked.includes(scope))))
    report.invalid(field, asked, "conflicting scopes");
}

const plainScopes = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];

function validateScopeSelector(report: Report, selector: JsonObject, names: readonly string[]): void {
  const field = "spec.scopeSelector.matchExpressions";
  report.settle("spec.scopeSelector");
  for (const item of listAt(selector, "matchExpressions")) {
    const [scope, operator, values] = [
      textAt(item, "scopeName"),
      textAt(item, "operator"),
      listAt(item, "values"),
    ];
    if (!scopes.includes(scope)) report.invalid(`${field}.scopeName`, scope, "unsupported scope");
    for (const _name of uncounted(scope, names))
      report.invalid(field, goValue("core.ScopeSelector", selector), "unsupported scope applied to resource");
    if (plainScopes.includes(scope) && operator !== "Exists")
      report.invalid(
        `${field}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        report.required(
          `${field}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        );
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        report.invalid(
          `${field}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        );
    } else report.invalid(`${field}.operator`, operator, "not a valid selector operator");
  }
}

function validateQuotaName(report: Report, name: string, field: string): void {
  report.syntax(field, name, qualifiedName(name));
  const known = limited.has(name) || /^(?:requests\.)?hugepages-/.test(name);
  if (name.includes("/") || known) return;
  if (name !== "storage") report.invalid(field, name, "must be a standard resource type or fully qualified");
  report.invalid(field, name, "must be a standard resource for quota");
}

/** What is counted, and extended resources, come in whole numbers (pkg/apis/core/helper IsIntegerResourceName). */
function isCounted(name: string): boolean {
  return counted.includes(name) || (name.includes("/") && !name.includes("kubernetes.io/"));
}

function validateAmount(
  report: Report,
  text: string,
  { field, whole }: { field: string; whole: boolean },
): void {
  const nanos = parseQuantity(text)?.nanos ?? 0n;
  if (nanos < 0n) report.invalid(field, text, notNegative);
  if (whole && nanos % 1_000_000_000n !== 0n) report.invalid(field, text, "must be an integer");
}
