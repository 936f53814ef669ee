import type { KubeObject } from "../../types.ts";
import {
  isObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  sameJson,
  sortedKeys,
  textAt,
} from "../json.ts";
import { label1035Name, labelName, pathSegmentName, portNumber, subdomainName } from "./names.ts";
import { validatePodSpec } from "./pod-spec.ts";
import { validatePrefixedPath } from "./prefixed-path.ts";
import type { Report } from "./report.ts";
import { validateTemplateMetadata } from "./workload.ts";

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
  const isMissing = object.data === undefined || object.data === null;
  report.settle("data");
  if (isMissing && !previous) report.required("data", "data is mandatory");
  else if (!previous && !isObject(object.data)) report.required("data", "data must be a valid JSON object");
  notNegative(report, "revision", numberAt(object, "revision"));
  if (previous && !sameJson(previous.data, object.data))
    report.invalid("data", sortedKeys(object.data ?? null), "field is immutable");
}

export function validatePodTemplate(report: Report, object: KubeObject): void {
  validateTemplateMetadata(report, object.template, "template");
  validatePodSpec(report, objectAt(object, "template", "spec"), { field: "template.spec", template: true });
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
  if (previous && !sameJson(previous.preemptionPolicy, object.preemptionPolicy))
    report.invalid("preemptionPolicy", object.preemptionPolicy ?? null, "field is immutable");
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
  const before = textAt(objectAt(previous, "spec"), "controller");
  if (before && before !== controller) report.invalid("spec.controller", controller, "field is immutable");
  validatePrefixedPath(report, controller, "spec.controller");
  const parameters = objectAt(object, "spec", "parameters");
  if (parameters) validateParameters(report, parameters, "spec.parameters");
}

function validateParameters(report: Report, parameters: JsonObject, field: string): void {
  const { apiGroup, scope, namespace } = parameters;
  report.settle(field);
  if (typeof apiGroup === "string") report.syntax(`${field}.apiGroup`, apiGroup, subdomainName(apiGroup));
  for (const name of ["kind", "name"]) {
    const value = textAt(parameters, name);
    if (!value) report.required(`${field}.${name}`);
    else report.syntax(`${field}.${name}`, value, pathSegmentName(value));
  }
  const at = `${field}.namespace`;
  if (scope === undefined) report.required(`${field}.scope`);
  else if (scope !== "Cluster" && scope !== "Namespace")
    report.unsupported(`${field}.scope`, scope, ["Cluster", "Namespace"]);
  else if (scope === "Cluster" && namespace !== undefined)
    report.forbidden(at, "`parameters.scope` is set to 'Cluster'");
  else if (scope === "Namespace" && typeof namespace !== "string")
    report.required(at, "`parameters.scope` is set to 'Namespace'");
  else if (typeof namespace === "string") report.syntax(at, namespace, labelName(namespace));
}

export function validateApiService(report: Report, object: KubeObject, previous?: KubeObject): void {
  const spec = objectAt(object, "spec");
  const [group, version] = [textAt(spec, "group"), textAt(spec, "version")];
  const { name } = object.metadata;
  if (previous && name !== `${version}.${group}`)
    report.invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: "${version}.${group}"`);
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
  const service = objectAt(spec, "service");
  const bytes = Buffer.from(textAt(spec, "caBundle"), "base64").length;
  const isTrusting = spec?.insecureSkipTLSVerify === true;
  if (!service) {
    if (bytes > 0)
      report.invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle");
    if (isTrusting)
      report.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "local APIServices may not have insecureSkipTLSVerify",
      );
    return;
  }
  for (const name of ["namespace", "name"])
    if (!textAt(service, name)) report.required(`spec.service.${name}`);
  const port = numberAt(service, "port") ?? 0;
  if (portNumber(port).length > 0)
    report.invalid("spec.service.port", port, `port is not valid: ${portNumber(port).join(", ")}`);
  if (isTrusting && bytes > 0)
    report.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
}

export function validateFlowSchema(report: Report, object: KubeObject): void {
  const spec = objectAt(object, "spec");
  const precedence = numberAt(spec, "matchingPrecedence") ?? 0;
  if (precedence > 10_000)
    report.invalid("spec.matchingPrecedence", precedence, "must not be greater than 10000");
  const method = objectAt(spec, "distinguisherMethod");
  const type = textAt(method, "type");
  if (method) report.settle("spec.distinguisherMethod");
  if (method && type !== "ByNamespace" && type !== "ByUser")
    report.unsupported("spec.distinguisherMethod.type", { Type: type }, ["ByNamespace", "ByUser"]);
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
