import type { KubeObject } from "../../types.ts";
import { type JsonObject, listAt, objectAt, sameJson, textAt } from "../json.ts";
import { parseQuantity } from "../quantity.ts";
import { notNegative, qualifiedName } from "./names.ts";
import type { Report } from "./report.ts";

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
export function validateQuota(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const spec = objectAt(object, "spec");
  for (const [name, amount] of Object.entries(objectAt(spec, "hard") ?? {})) {
    const field = `spec.hard[${name}]`;
    validateQuotaName(report, name, field);
    validateAmount(report, `${amount}`, { field, whole: isCounted(name) });
  }
  const asked = listAt(spec, "scopes");
  if (asked.some((scope) => !scopes.includes(`${scope}`)))
    report.invalid("spec.scopes", asked, "unsupported scope");
  for (const pair of [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
  ])
    if (pair.every((scope) => asked.includes(scope)))
      report.invalid("spec.scopes", asked, "conflicting scopes");
  if (previous && !sameJson(asked, listAt(previous, "spec", "scopes")))
    report.invalid("spec.scopes", asked, "field is immutable");
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

/** pkg/apis/core/validation ValidateLimitRange */
export function validateLimitRange(report: Report, object: KubeObject): void {
  const seen = new Set<string>();
  for (const [index, limit] of listAt(object, "spec", "limits").entries()) {
    const field = `spec.limits[${index}]`;
    const type = textAt(limit, "type");
    validateLimitType(report, type, `${field}.type`);
    if (seen.has(type)) report.duplicate(`${field}.type`, type);
    seen.add(type);
    if (type === "Pod") {
      for (const name of ["default", "defaultRequest"])
        if (objectAt(limit, name))
          report.forbidden(`${field}.${name}`, "may not be specified when `type` is 'Pod'");
    } else if (type === "PersistentVolumeClaim") validateStorageLimit(report, limit, field);
    validateBounds(report, limit, field);
  }
}

function validateLimitType(report: Report, type: string, field: string): void {
  const problems = qualifiedName(type);
  report.syntax(field, type, problems);
  const known = ["Pod", "Container", "PersistentVolumeClaim"].includes(type);
  if (problems.length === 0 && !known && !type.includes("/"))
    report.invalid(field, type, "must be a standard limit type or fully qualified");
}

function validateStorageLimit(report: Report, limit: unknown, field: string): void {
  const given = ["min", "max"].some((bound) => objectAt(limit, bound)?.storage !== undefined);
  if (!given)
    report.required(
      `${field}.limits`,
      "either minimum or maximum storage value is required, but neither was provided",
    );
}

/** Least ≤ default request ≤ default ≤ most, for each resource. */
function validateBounds(report: Report, limit: unknown, field: string): void {
  const of = (name: string): JsonObject => objectAt(limit, name) ?? {};
  const [min, max, usual, request] = [of("min"), of("max"), of("default"), of("defaultRequest")];
  const names = new Set([min, max, usual, request].flatMap((amounts) => Object.keys(amounts)));
  for (const name of names) {
    const problem = (low: unknown, high: unknown, words: string): string | undefined =>
      low !== undefined && high !== undefined && isMore(`${low}`, `${high}`)
        ? words.replace("LOW", `${low}`).replace("HIGH", `${high}`)
        : undefined;
    const report1 = (at: string, value: unknown, why: string | undefined): void => {
      if (why !== undefined) report.invalid(`${field}.${at}[${name}]`, `${value}`, why);
    };
    const [least, most, normal, asked] = [min[name], max[name], usual[name], request[name]];
    report1("min", least, problem(least, most, "min value LOW is greater than max value HIGH"));
    const overRequest = "min value LOW is greater than default request value HIGH";
    report1("defaultRequest", asked, problem(least, asked, overRequest));
    const overMost = "default request value LOW is greater than max value HIGH";
    report1("defaultRequest", asked, problem(asked, most, overMost));
    const overUsual = "default request value LOW is greater than default limit value HIGH";
    report1("defaultRequest", asked, problem(asked, normal, overUsual));
    report1("default", least, problem(least, normal, "min value LOW is greater than default value HIGH"));
    report1("default", most, problem(normal, most, "default value LOW is greater than max value HIGH"));
  }
}

function isMore(left: string, right: string): boolean {
  return (parseQuantity(left)?.nanos ?? 0n) > (parseQuantity(right)?.nanos ?? 0n);
}
