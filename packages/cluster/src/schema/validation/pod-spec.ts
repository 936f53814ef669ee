import { type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json.ts";
import { type PodContext, validateContainer } from "./container.ts";
import { validateEphemeral } from "./ephemeral-containers.ts";
import { validateLabels } from "./metadata.ts";
import { address, labelName, qualifiedName, subdomainName } from "./names.ts";
import { validateNodeSelector, validateNodeTerm } from "./node-selector.ts";
import {
  validateClaims,
  validateDns,
  validateGates,
  validateHostnameOverride,
  validatePodResources,
  validateSpread,
  validateSystem,
} from "./pod-parts.ts";
import { validatePodSecurity } from "./pod-security.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";
import { validateVolumes } from "./volume.ts";

export interface PodSpecPlace {
  field: string;
  claimTemplates?: ReadonlySet<string>;
  /** Within a workload: no Pod of its own. */
  template?: boolean;
}

/** pkg/apis/core/validation ValidatePodSpec, for what people write. */
export function validatePodSpec(report: Report, spec: JsonObject | undefined, place: PodSpecPlace): void {
  const { field, claimTemplates = new Set(), template = false } = place;
  const context: PodContext = {
    volumes: validateVolumes(report, listAt(spec, "volumes"), `${field}.volumes`),
    claimTemplates,
    hostNetwork: spec?.hostNetwork === true,
    names: new Set(),
  };
  validateClaims(report, listAt(spec, "resourceClaims"), `${field}.resourceClaims`);
  const containers = listAt(spec, "containers");
  if (containers.length === 0) report.required(`${field}.containers`);
  for (const list of ["containers", "initContainers"])
    for (const [index, container] of listAt(spec, list).entries())
      validateContainer(report, container, { field: `${field}.${list}[${index}]`, context });
  validateEphemeral(report, spec, { field, context });
  validatePodResources(report, spec, field);
  validateChoices(report, spec, field);
  validateLabels(report, objectAt(spec, "nodeSelector"), `${field}.nodeSelector`);
  validatePodSecurity(report, objectAt(spec, "securityContext"), `${field}.securityContext`);
  validateAffinity(report, objectAt(spec, "affinity"), `${field}.affinity`);
  validateDns(report, spec, `${field}.dnsConfig`);
  validateGates(report, spec, field);
  validateSpread(report, spec, field);
  validateHostnameOverride(report, spec, `${field}.hostnameOverride`);
  validateNames(report, spec, field);
  validateSystem(report, objectAt(spec, "os"), `${field}.os`);
  if (template && listAt(spec, "ephemeralContainers").length > 0)
    report.forbidden(`${field}.ephemeralContainers`, "ephemeral containers not allowed in pod template");
}

const choices: Readonly<Record<string, readonly string[]>> = {
  restartPolicy: ["Always", "OnFailure", "Never"],
  dnsPolicy: ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
};

function validateChoices(report: Report, spec: unknown, field: string): void {
  for (const [name, allowed] of Object.entries(choices)) {
    const value = textAt(spec, name);
    if (value) report.oneOf(`${field}.${name}`, value, allowed);
  }
}

function validateNames(report: Report, spec: JsonObject | undefined, field: string): void {
  const check = (name: string, syntax: (value: string) => string[]): void => {
    const value = textAt(spec, name);
    if (value) report.syntax(`${field}.${name}`, value, syntax(value));
  };
  check("serviceAccountName", subdomainName);
  check("nodeName", subdomainName);
  const deadline = numberAt(spec, "activeDeadlineSeconds");
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1))
    report.invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive");
  check("hostname", labelName);
  check("subdomain", labelName);
  validateTolerations(report, spec, field);
  for (const [index, alias] of listAt(spec, "hostAliases").entries()) {
    const ip = textAt(alias, "ip");
    report.syntax(`${field}.hostAliases[${index}].ip`, ip, address(ip));
    for (const [at, name] of listAt(alias, "hostnames").entries())
      report.syntax(`${field}.hostAliases[${index}].hostnames[${at}]`, `${name}`, subdomainName(`${name}`));
  }
  check("priorityClassName", subdomainName);
  const runtime = spec?.runtimeClassName;
  if (typeof runtime === "string")
    report.syntax(`${field}.runtimeClassName`, runtime, subdomainName(runtime));
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

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function validateAffinity(report: Report, affinity: JsonObject | undefined, field: string): void {
  const node = objectAt(affinity, "nodeAffinity", required);
  if (node) validateNodeSelector(report, node, `${field}.nodeAffinity.${required}`);
  for (const [index, weighted] of listAt(affinity, "nodeAffinity", preferred).entries()) {
    const at = `${field}.nodeAffinity.${preferred}[${index}]`;
    validateWeight(report, weighted, at);
    validateNodeTerm(report, objectAt(weighted, "preference"), `${at}.preference`);
  }
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    const terms = listAt(affinity, kind, required).entries();
    for (const [index, term] of terms) validateTerm(report, term, `${field}.${kind}.${required}[${index}]`);
    for (const [index, weighted] of listAt(affinity, kind, preferred).entries()) {
      const at = `${field}.${kind}.${preferred}[${index}]`;
      validateWeight(report, weighted, at);
      validateTerm(report, valueAt(weighted, "podAffinityTerm"), `${at}.podAffinityTerm`);
    }
  }
}

function validateWeight(report: Report, weighted: unknown, field: string): void {
  const weight = numberAt(weighted, "weight") ?? 0;
  if (weight < 1 || weight > 100) report.invalid(`${field}.weight`, weight, "must be in the range 1-100");
}

function validateTerm(report: Report, term: unknown, field: string): void {
  const key = textAt(term, "topologyKey");
  if (!key) report.required(`${field}.topologyKey`, "can not be empty");
  report.syntax(`${field}.topologyKey`, key, qualifiedName(key));
  for (const name of ["labelSelector", "namespaceSelector"])
    validateSelector(report, objectAt(term, name), `${field}.${name}`);
}
