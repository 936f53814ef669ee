import { goValue } from "../go-value.ts";
import { type JsonObject, listAt, numberAt, objectAt, textAt } from "../json.ts";
import { validateResources } from "./container.ts";
import { address, labelName, qualifiedName, subdomainName, underscoredName } from "./names.ts";
import type { Report } from "./report.ts";
import { validateSelector } from "./selector.ts";

/** validatePodResourceClaims */
export function validateClaims(report: Report, claims: readonly unknown[], field: string): void {
  const names = new Set<string>();
  for (const [index, claim] of claims.entries()) {
    const at = `${field}[${index}]`;
    const name = textAt(claim, "name");
    if (!name) report.required(`${at}.name`);
    else if (names.has(name)) report.duplicate(`${at}.name`, name);
    else report.syntax(`${at}.name`, name, labelName(name));
    names.add(name);
    const sources = ["resourceClaimName", "resourceClaimTemplateName"];
    const given = sources.filter((one) => objectAt({ claim }, "claim")?.[one] !== undefined);
    report.settle(at);
    const printed = goValue("core.PodResourceClaim", claim);
    if (given.length === 2)
      report.invalid(
        at,
        printed,
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      );
    if (given.length === 0)
      report.invalid(at, printed, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    for (const one of given)
      report.syntax(`${at}.${one}`, textAt(claim, one), subdomainName(textAt(claim, one)));
  }
}

/** validatePodResources: what all containers of the Pod may have together. */
export function validatePodResources(report: Report, spec: JsonObject | undefined, field: string): void {
  const resources = objectAt(spec, "resources");
  if (!resources) return;
  const at = `${field}.resources`;
  if (resources.claims !== undefined && resources.claims !== null)
    report.forbidden(`${at}.claims`, "claims may not be set for Resources at pod-level");
  validateResources(report, resources, at);
}

const mostServers = 3;

/** validatePodDNSConfig */
export function validateDns(report: Report, spec: JsonObject | undefined, field: string): void {
  const config = objectAt(spec, "dnsConfig");
  const servers = listAt(config, "nameservers");
  if (textAt(spec, "dnsPolicy") === "None") {
    if (!config) report.required(field, "must provide `dnsConfig` when `dnsPolicy` is None");
    else if (servers.length === 0)
      report.required(
        `${field}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
    if (servers.length === 0) return;
  }
  if (servers.length > mostServers)
    report.invalid(`${field}.nameservers`, servers, `must not have more than ${mostServers} nameservers`);
  for (const [index, server] of servers.entries())
    report.syntax(`${field}.nameservers[${index}]`, `${server}`, address(`${server}`));
  for (const [index, search] of listAt(config, "searches").entries()) {
    const name = `${search}`.replace(/\.$/, "");
    if (search !== ".") report.syntax(`${field}.searches[${index}]`, name, underscoredName(name));
  }
  for (const [index, option] of listAt(config, "options").entries())
    if (!textAt(option, "name")) report.required(`${field}.options[${index}]`, "must not be empty");
}

/** validateReadinessGates and validateSchedulingGates */
export function validateGates(report: Report, spec: JsonObject | undefined, field: string): void {
  for (const [index, gate] of listAt(spec, "readinessGates").entries()) {
    const type = textAt(gate, "conditionType");
    report.syntax(`${field}.readinessGates[${index}].conditionType`, type, qualifiedName(type));
  }
  const seen = new Set<string>();
  for (const [index, gate] of listAt(spec, "schedulingGates").entries()) {
    const name = textAt(gate, "name");
    const at = `${field}.schedulingGates[${index}]`;
    report.settle(at);
    report.syntax(at, name, qualifiedName(name));
    report.unique(at, name, seen);
  }
}

const spreadActions = ["DoNotSchedule", "ScheduleAnyway"];
const nodePolicies = ["Honor", "Ignore"];

/** validateTopologySpreadConstraints */
export function validateSpread(report: Report, spec: JsonObject | undefined, field: string): void {
  const constraints = listAt(spec, "topologySpreadConstraints");
  for (const [index, constraint] of constraints.entries()) {
    const at = `${field}.topologySpreadConstraints[${index}]`;
    const [key, action] = [textAt(constraint, "topologyKey"), textAt(constraint, "whenUnsatisfiable")];
    report.settle(at);
    validatePositive(report, numberAt(constraint, "maxSkew") ?? 0, `${at}.maxSkew`);
    if (!key) report.required(`${at}.topologyKey`, "can not be empty");
    if (!spreadActions.includes(action)) report.unsupported(`${at}.whenUnsatisfiable`, action, spreadActions);
    const isRepeated = constraints
      .slice(index + 1)
      .some((other) => textAt(other, "topologyKey") === key && textAt(other, "whenUnsatisfiable") === action);
    if (isRepeated) report.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`);
    validateDomains(report, constraint, { field: `${at}.minDomains`, action });
    for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"]) {
      const policy = objectAt({ constraint }, "constraint")?.[name];
      report.oneOf(`${at}.${name}`, policy, nodePolicies);
    }
    validateKeys(report, constraint, `${at}.matchLabelKeys`);
    validateSelector(report, objectAt(constraint, "labelSelector"), `${at}.labelSelector`);
  }
}

function validatePositive(report: Report, value: number, field: string): void {
  if (value <= 0) report.invalid(field, value, "must be greater than zero");
}

function validateDomains(
  report: Report,
  constraint: unknown,
  { field, action }: { field: string; action: string },
): void {
  const least = numberAt(constraint, "minDomains");
  if (least === undefined) return;
  validatePositive(report, least, field);
  if (action !== "DoNotSchedule")
    report.invalid(field, least, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
}

function validateKeys(report: Report, constraint: unknown, field: string): void {
  const keys = listAt(constraint, "matchLabelKeys");
  if (keys.length > 0 && !objectAt(constraint, "labelSelector"))
    report.forbidden(field, "must not be specified when labelSelector is not set");
  for (const [index, key] of keys.entries())
    report.syntax(`${field}[${index}]`, `${key}`, qualifiedName(`${key}`));
}

/** validatePodHostName */
export function validateHostnameOverride(report: Report, spec: JsonObject | undefined, field: string): void {
  const name = spec?.hostnameOverride;
  if (typeof name !== "string") return;
  if (spec?.setHostnameAsFQDN === true)
    report.forbidden(field, "may not be specified when setHostnameAsFQDN is true");
  if (spec?.hostNetwork === true) report.forbidden(field, "may not be specified when hostNetwork is true");
  if (name.length > 64) report.tooLong(field, "may not be more than 64 bytes");
  report.syntax(field, name, subdomainName(name));
}

const systems = ["linux", "windows"];

/** validateOS */
export function validateSystem(report: Report, system: JsonObject | undefined, field: string): void {
  const name = textAt(system, "name");
  if (!system) return;
  if (!name) report.required(`${field}.name`);
  else if (!systems.includes(name)) report.unsupported(field, name, systems);
  report.settle(field);
}
