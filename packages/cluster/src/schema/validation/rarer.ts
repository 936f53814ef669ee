import { isIP } from "node:net";
import type { KubeObject } from "../../types.ts";
import { listAt, objectAt, sameJson, textAt } from "../json.ts";
import { numberAt } from "./admission.ts";
import { labelName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import type { Report } from "./report.ts";

export function validateEndpoints(report: Report, object: KubeObject): void {
  for (const [index, subset] of listAt(object, "subsets").entries()) {
    const field = `subsets[${index}]`;
    const addresses = listAt(subset, "addresses");
    if (addresses.length + listAt(subset, "notReadyAddresses").length === 0)
      report.required(field, "must specify `addresses` or `notReadyAddresses`");
    for (const [at, address] of addresses.entries())
      validateAddress(report, textAt(address, "ip"), `${field}.addresses[${at}].ip`);
    for (const [at, port] of listAt(subset, "ports").entries()) {
      const number = numberAt(port, "port") ?? 0;
      if (number < 1 || number > 65535)
        report.invalid(`${field}.ports[${at}].port`, number, "must be between 1 and 65535, inclusive");
    }
  }
}

function validateAddress(report: Report, ip: string, field: string): void {
  if (isIP(ip) === 0) {
    report.invalid(field, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    report.invalid(field, ip, "must be a valid IP address");
  } else if (ip.startsWith("127.") || ip === "::1")
    report.invalid(field, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
}

export function validateEvent(report: Report, object: KubeObject): void {
  const about = objectAt(object, "involvedObject") ?? objectAt(object, "regarding");
  const namespace = textAt(about, "namespace");
  const expected = object.metadata.namespace;
  const isFitting = namespace === expected || (namespace === "" && expected === "default");
  if (!isFitting) report.invalid("involvedObject.namespace", namespace, "does not match event.namespace");
}

export function validateNewEvent(report: Report, object: KubeObject, previous?: KubeObject): void {
  validateEvent(report, object);
  if (previous) return;
  const { eventTime, type } = object;
  if (!eventTime) report.required("eventTime");
  else for (const name of ["action", "reason"]) if (!object[name]) report.required(name);
  if (type !== "Normal" && type !== "Warning") report.invalid("type", "", `has invalid value: ${type ?? ""}`);
}

export function validateLimitRange(report: Report, object: KubeObject): void {
  const seen = new Set<string>();
  for (const [index, limit] of listAt(object, "spec", "limits").entries()) {
    const field = `spec.limits[${index}]`;
    const type = textAt(limit, "type");
    if (seen.has(type)) report.duplicate(`${field}.type`, type);
    seen.add(type);
    if (type !== "Pod") continue;
    for (const name of ["default", "defaultRequest"])
      if (objectAt(limit, name))
        report.forbidden(`${field}.${name}`, "may not be specified when `type` is 'Pod'");
  }
}

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
  report.syntax("handler", handler, labelName(handler));
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

export function validatePriorityClass(report: Report, object: KubeObject): void {
  const { name = "" } = object.metadata;
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
  const wanted = `${textAt(spec, "version")}.${textAt(spec, "group")}`;
  const { name = "" } = object.metadata;
  if (name !== wanted)
    report.invalid(
      "metadata.name",
      name,
      `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`,
    );
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
  if (response && response !== "Queue" && response !== "Reject")
    report.unsupported("spec.limited.limitResponse.type", response, ["Queue", "Reject"]);
}
