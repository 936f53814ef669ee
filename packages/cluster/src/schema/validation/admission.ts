import type { KubeObject } from "../../types.ts";
import { isObject, listAt, objectAt, textAt } from "../json.ts";
import type { Report } from "./report.ts";

/** pkg/apis/admissionregistration/validation of both kinds of webhooks. */
export function validateWebhooks(report: Report, object: KubeObject): void {
  const names = new Set<string>();
  for (const [index, webhook] of listAt(object, "webhooks").entries()) {
    const field = `webhooks[${index}]`;
    const name = textAt(webhook, "name");
    if (name.split(".").length < 3)
      report.invalid(
        `${field}.name`,
        name,
        "should be a domain with at least three segments separated by dots",
      );
    const effects = textAt(webhook, "sideEffects");
    if (effects && effects !== "None" && effects !== "NoneOnDryRun")
      report.unsupported(`${field}.sideEffects`, effects, ["None", "NoneOnDryRun"]);
    validateTimeout(report, webhook, field);
    validateClient(report, webhook, field);
    if (listAt(webhook, "admissionReviewVersions").length === 0)
      report.required(`${field}.admissionReviewVersions`, "must specify one of v1, v1beta1");
    if (names.has(name)) report.duplicate(`${field}.name`, name);
    names.add(name);
  }
}

function validateTimeout(report: Report, webhook: unknown, field: string): void {
  const seconds = numberAt(webhook, "timeoutSeconds");
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    report.invalid(`${field}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds");
}

function validateClient(report: Report, webhook: unknown, field: string): void {
  const client = objectAt(webhook, "clientConfig");
  const url = textAt(client, "url");
  if (!url === !objectAt(client, "service"))
    report.required(`${field}.clientConfig`, "exactly one of url or service is required");
  const scheme = /^([a-z]+):/.exec(url)?.[1];
  if (url && scheme !== "https")
    report.invalid(
      `${field}.clientConfig.url`,
      scheme ?? "",
      "'https' is the only allowed URL scheme; desired format: https://host[/path]",
    );
}

export function validateAdmissionPolicy(report: Report, object: KubeObject): void {
  if (!objectAt(object, "spec", "matchConstraints")) report.required("spec.matchConstraints");
  for (const [index, { expression }] of listAt(object, "spec", "validations").filter(isObject).entries())
    if (!expression) report.required(`spec.validations[${index}].expression`, "expression is not specified");
  const isEmpty =
    listAt(object, "spec", "validations").length + listAt(object, "spec", "auditAnnotations").length === 0;
  if (!isEmpty) return;
  const detail = "validations or auditAnnotations must contain at least one item";
  report.required("spec.validations", detail);
  report.required("spec.auditAnnotations", detail);
}

export function validatePolicyBinding(report: Report, object: KubeObject): void {
  if (!textAt(objectAt(object, "spec"), "policyName")) report.required("spec.policyName");
  const actions = listAt(object, "spec", "validationActions");
  if (actions.length === 0)
    report.required("spec.validationActions", "at least one validation action is required");
  if (actions.includes("Deny") && actions.includes("Warn"))
    report.invalid(
      "spec.validationActions",
      actions,
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
}

export function numberAt(value: unknown, key: string): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof found === "number" ? found : undefined;
}
