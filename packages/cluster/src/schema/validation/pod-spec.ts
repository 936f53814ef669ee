import { isObject, type JsonObject, listAt, numberAt, objectAt, sameJson, textAt, valueAt } from "../json.ts";
import { type PodContext, validateContainer, validateIds } from "./container.ts";
import { validateLabels } from "./metadata.ts";
import { address, labelName, qualifiedName, subdomainName } from "./names.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";
import { validateVolumes } from "./volume.ts";

/** pkg/apis/core/validation ValidatePodSpec, for what people write. */
export function validatePodSpec(
  report: Report,
  spec: JsonObject | undefined,
  { field, claimTemplates = new Set() }: { field: string; claimTemplates?: ReadonlySet<string> },
): void {
  const context: PodContext = {
    volumes: validateVolumes(report, listAt(spec, "volumes"), `${field}.volumes`),
    claimTemplates,
    hostNetwork: spec?.hostNetwork === true,
    names: new Set(),
  };
  const containers = listAt(spec, "containers");
  if (containers.length === 0) report.required(`${field}.containers`);
  for (const list of ["containers", "initContainers"])
    for (const [index, container] of listAt(spec, list).entries())
      validateContainer(report, container, { field: `${field}.${list}[${index}]`, context });
  for (const name of ["serviceAccountName", "nodeName", "priorityClassName"]) {
    const value = textAt(spec, name);
    if (value) report.syntax(`${field}.${name}`, value, subdomainName(value));
  }
  for (const name of ["hostname", "subdomain"]) {
    const value = textAt(spec, name);
    if (value) report.syntax(`${field}.${name}`, value, labelName(value));
  }
  validateLabels(report, objectAt(spec, "nodeSelector"), `${field}.nodeSelector`);
  for (const [index, alias] of listAt(spec, "hostAliases").entries()) {
    const ip = textAt(alias, "ip");
    report.syntax(`${field}.hostAliases[${index}].ip`, ip, address(ip));
  }
  const deadline = numberAt(spec, "activeDeadlineSeconds");
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1))
    report.invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive");
  validateIds(report, objectAt(spec, "securityContext"), `${field}.securityContext`);
  validateTolerations(report, spec, field);
  validateSpread(report, spec, field);
  validateAffinity(report, objectAt(spec, "affinity"), `${field}.affinity`);
}

function validateTolerations(report: Report, spec: unknown, field: string): void {
  for (const [index, toleration] of listAt(spec, "tolerations").entries()) {
    const at = `${field}.tolerations[${index}]`;
    const key = textAt(toleration, "key");
    const operator = textAt(toleration, "operator");
    if (key) report.syntax(`${at}.key`, key, qualifiedName(key));
    else if (operator !== "Exists")
      report.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    const seconds = numberAt(toleration, "tolerationSeconds");
    if (seconds !== undefined && textAt(toleration, "effect") !== "NoExecute")
      report.invalid(
        `${at}.effect`,
        textAt(toleration, "effect"),
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      );
    const value = textAt(toleration, "value");
    if (operator === "Exists" && value)
      report.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    else if (operator !== "" && operator !== "Exists" && operator !== "Equal")
      report.unsupported(`${at}.operator`, operator, ["Equal", "Exists"]);
  }
}

function validateSpread(report: Report, spec: unknown, field: string): void {
  for (const [index, constraint] of listAt(spec, "topologySpreadConstraints").entries()) {
    const at = `${field}.topologySpreadConstraints[${index}]`;
    const skew = numberAt(constraint, "maxSkew") ?? 0;
    if (skew <= 0) report.invalid(`${at}.maxSkew`, skew, "must be greater than zero");
    if (!textAt(constraint, "topologyKey")) report.required(`${at}.topologyKey`, "can not be empty");
  }
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function validateAffinity(report: Report, affinity: JsonObject | undefined, field: string): void {
  const node = objectAt(affinity, "nodeAffinity", required);
  if (node && listAt(node, "nodeSelectorTerms").length === 0)
    report.required(
      `${field}.nodeAffinity.${required}.nodeSelectorTerms`,
      "must have at least one node selector term",
    );
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const terms = listAt(affinity, kind, required).entries();
    for (const [index, term] of terms) validateTerm(report, term, `${field}.${kind}.${required}[${index}]`);
    for (const [index, weighted] of listAt(affinity, kind, preferred).entries())
      validateTerm(
        report,
        valueAt(weighted, "podAffinityTerm"),
        `${field}.${kind}.${preferred}[${index}].podAffinityTerm`,
      );
  }
}

function validateTerm(report: Report, term: unknown, field: string): void {
  const key = textAt(term, "topologyKey");
  if (!key) report.required(`${field}.topologyKey`, "can not be empty");
  report.syntax(`${field}.topologyKey`, key, qualifiedName(key));
  for (const name of ["labelSelector", "namespaceSelector"])
    validateSelector(report, objectAt(term, name), `${field}.${name}`);
}

const mayChange =
  "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** pkg/apis/core/validation ValidatePodUpdate */
export function validatePodUpdate(report: Report, object: JsonObject, previous: JsonObject): void {
  const now = comparable(objectAt(object, "spec"));
  const before = comparable(objectAt(previous, "spec"));
  if (!before || !now) return;
  if (before.nodeName === undefined) delete now.nodeName;
  if (!sameJson(now, before))
    report.forbidden("spec", `pod updates may not change fields other than ${mayChange}`);
}

function comparable(spec: JsonObject | undefined): JsonObject | undefined {
  if (!spec) return undefined;
  const { activeDeadlineSeconds: _a, tolerations: _t, terminationGracePeriodSeconds: _g, ...rest } = spec;
  for (const list of ["containers", "initContainers"])
    if (Array.isArray(rest[list]))
      rest[list] = rest[list].map((container) => {
        if (!isObject(container)) return container;
        const { image: _image, ...others } = container;
        return others;
      });
  return rest;
}
