import type { KubeObject } from "../../types.ts";
import { listAt, objectAt, sameJson, textAt } from "../json.ts";
import { numberAt } from "./admission.ts";
import { label1035Name, labelName, subdomainName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";

export function validateLease(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const seconds = numberAt(spec, "leaseDurationSeconds");
  if (seconds !== undefined && seconds <= 0)
    report.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0");
  notNegative(report, "spec.leaseTransitions", numberAt(spec, "leaseTransitions"));
}

function notNegative(report: Report, field: string, value: number | undefined): void {
  if (value !== undefined && value < 0) report.invalid(field, value, "must be greater than or equal to 0");
}

export function validateRevision(report: Report, object: KubeObject, previous?: KubeObject): void {
  if (object.data === undefined || object.data === null) report.required("data", "data is mandatory");
  notNegative(report, "revision", numberAt(object, "revision"));
  if (previous && !sameJson(previous.data, object.data))
    report.invalid("data", object.data, "field is immutable");
}

export function validatePodTemplate(report: Report, object: KubeObject): void {
  validatePodSpec(report, objectAt(object, "template", "spec"), { field: "template.spec" });
}

export function validateRuntimeClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const handler = textAt(object, "handler");
  if (!handler) report.required("handler");
  else report.syntax("handler", handler, labelName(handler));
  unchanged(report, { object, previous, field: "handler" });
}

interface Fixed {
  object: KubeObject;
  previous: KubeObject | undefined;
  field: string;
}

function unchanged(report: Report, { object, previous, field }: Fixed): void {
  if (previous && !sameJson(previous[field], object[field]))
    report.invalid(field, object[field], "field is immutable");
}

const systemClasses = new Set(["system-cluster-critical", "system-node-critical"]);

export function validatePriorityClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const { name = "" } = object.metadata;
  if (previous && numberAt(previous, "value") !== numberAt(object, "value"))
    report.forbidden("value", "may not be changed in an update.");
  if (systemClasses.has(name)) return;
  if (name.startsWith("system-"))
    report.forbidden(
      "metadata.name",
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
    );
  if ((numberAt(object, "value") ?? 0) > 1_000_000_000)
    report.forbidden("value", "maximum allowed value of a user defined priority is 1000000000");
}

export function validateIngressClass(report: Report, object: KubeObject, previous?: KubeObject): void {
  const controller = textAt(objectAt(object, "spec"), "controller");
  if (!controller) report.required("spec.controller");
  else if (!/^[a-z0-9.-]+\/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(controller))
    report.invalid("spec.controller", controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  const scope = textAt(objectAt(object, "spec", "parameters"), "scope");
  if (scope && scope !== "Cluster" && scope !== "Namespace")
    report.unsupported("spec.parameters.scope", scope, ["Cluster", "Namespace"]);
  const before = textAt(objectAt(previous, "spec"), "controller");
  if (before && before !== controller) report.invalid("spec.controller", controller, "field is immutable");
}

export function validateApiService(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const [group, version] = [textAt(spec, "group"), textAt(spec, "version")];
  if (!group && version !== "v1")
    report.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  else if (group) report.syntax("spec.group", group, subdomainName(group));
  report.syntax("spec.version", version, label1035Name(version));
  for (const [field, most] of [
    ["groupPriorityMinimum", 20_000],
    ["versionPriority", 1_000],
  ] as const) {
    const value = numberAt(spec, field) ?? 0;
    if (value <= 0 || value > most)
      report.invalid(`spec.${field}`, value, `must be positive and less than ${most}`);
  }
}

export function validateFlowSchema(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const precedence = numberAt(spec, "matchingPrecedence") ?? 0;
  if (precedence > 10_000)
    report.invalid("spec.matchingPrecedence", precedence, "must not be greater than 10000");
  const method = textAt(objectAt(spec, "distinguisherMethod"), "type");
  if (method && method !== "ByNamespace" && method !== "ByUser")
    report.unsupported("spec.distinguisherMethod.type", { Type: method }, ["ByNamespace", "ByUser"]);
  if (!textAt(objectAt(spec, "priorityLevelConfiguration"), "name"))
    report.required("spec.priorityLevelConfiguration.name", "must reference a priority level");
  for (const [index, rule] of listAt(spec, "rules").entries()) {
    const field = `spec.rules[${index}]`;
    if (listAt(rule, "subjects").length === 0)
      report.required(`${field}.subjects`, "subjects must contain at least one value");
    if (listAt(rule, "resourceRules").length + listAt(rule, "nonResourceRules").length === 0)
      report.required(field, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
}

export function validatePriorityLevel(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const type = textAt(spec, "type");
  const limited = objectAt(spec, "limited");
  if (!type) report.required("spec.type");
  else if (type !== "Limited" && type !== "Exempt")
    report.unsupported("spec.type", type, ["Exempt", "Limited"]);
  if (type === "Limited" && !limited)
    report.required("spec.limited", "must not be empty when type is Limited");
  const shares = numberAt(limited, "nominalConcurrencyShares") ?? 0;
  if (shares < 0)
    report.invalid("spec.limited.nominalConcurrencyShares", shares, "must be a non-negative integer");
  const response = textAt(objectAt(limited, "limitResponse"), "type");
  if (limited && !response) report.required("spec.limited.limitResponse.type");
  else if (response && response !== "Queue" && response !== "Reject")
    report.unsupported("spec.limited.limitResponse.type", response, ["Queue", "Reject"]);
}
