import { randomUUID } from "node:crypto";
import { parseQuantity } from "@capstan/formats";
import { type JsonObject, listAt, objectAt, textAt } from "../../schema/json.ts";
import { qualifiedName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";

export const limitRange: Kind = {
  group: "",
  resource: "limitranges",
  notRequired: ["LimitRangeSpec.limits"],
  // pkg/registry/core/limitrange strategy.PrepareForCreate
  namesItself: randomUUID,
  metadataPasses: { update: 1, whole: 3 },
  createOnUpdate: true,
  defaults: {
    "io.k8s.api.core.v1.LimitRangeItem": defaultLimitRangeItem,
  },
  validate: validateLimitRange,
};

function defaultLimitRangeItem(fields: JsonObject): void {
  if (fields.type !== "Container") return;
  const limits = { ...objectAt(fields, "max"), ...objectAt(fields, "default") };
  const requests = { ...objectAt(fields, "min"), ...limits, ...objectAt(fields, "defaultRequest") };
  if (Object.keys(limits).length) fields.default = limits;
  if (Object.keys(requests).length) fields.defaultRequest = requests;
}

/** pkg/apis/core/validation ValidateLimitRange */
function validateLimitRange(report: Report, object: KubeObject): void {
  const seen = new Set<string>();
  for (const [index, limit] of listAt(object, "spec", "limits").entries()) {
    const field = `spec.limits[${index}]`;
    const type = textAt(limit, "type");
    validateLimitType(report, type, `${field}.type`);
    report.unique(`${field}.type`, type, seen);
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
