import { type JsonObject, listAt, objectAt, textAt, valueAt } from "../../schema/json.ts";
import { pathSegmentName } from "../../schema/validation/names.ts";
import type { Report } from "../../schema/validation/report.ts";
import { validateSelector } from "../../schema/validation/selector.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

const scopes = ["*", "Cluster", "Namespaced"];

/** pkg/apis/admissionregistration/validation validateMatchResources */
export function validateMatchResources(report: Report, match: JsonObject, field: string): void {
  report.settle(field);
  const policy = textAt(match, "matchPolicy");
  if (!policy) report.required(`${field}.matchPolicy`);
  else if (policy !== "Equivalent" && policy !== "Exact")
    report.unsupported(`${field}.matchPolicy`, policy, ["Equivalent", "Exact"]);
  for (const name of ["namespaceSelector", "objectSelector"]) {
    const selector = objectAt(match, name);
    if (selector) validateSelector(report, selector, `${field}.${name}`);
    else report.required(`${field}.${name}`);
  }
  for (const list of ["resourceRules", "excludeResourceRules"])
    for (const [index, rule] of listAt(match, list).entries()) {
      const at = `${field}.${list}[${index}]`;
      const names = listAt(rule, "resourceNames");
      for (const [place, name] of names.entries()) {
        report.syntax(`${at}.resourceNames[${place}]`, `${name}`, pathSegmentName(`${name}`));
        if (names.indexOf(name) < place) report.duplicate(`${at}.resourceNames[${place}]`, name);
      }
      validateOperations(report, rule, at);
    }
}

/** validateRuleWithOperations */
export function validateOperations(report: Report, rule: unknown, field: string): void {
  report.settle(field);
  const asked = listAt(rule, "operations");
  if (asked.length === 0) report.required(`${field}.operations`);
  refuseBesideAll(report, asked, { field: `${field}.operations`, others: "operations" });
  for (const [index, operation] of asked.entries())
    if (!operations.includes(`${operation}`))
      report.unsupported(`${field}.operations[${index}]`, operation, operations);
  for (const [list, others] of [
    ["apiGroups", "API groups"],
    ["apiVersions", "API versions"],
  ] as const) {
    const values = listAt(rule, list);
    if (values.length === 0) report.required(`${field}.${list}`);
    refuseBesideAll(report, values, { field: `${field}.${list}`, others });
    if (list === "apiVersions")
      for (const [index, version] of values.entries())
        if (version === "") report.required(`${field}.${list}[${index}]`);
  }
  validateResources(report, listAt(rule, "resources"), `${field}.resources`);
  const scope = valueAt(rule, "scope");
  report.oneOf(`${field}.scope`, scope, scopes);
}

function refuseBesideAll(
  report: Report,
  values: readonly unknown[],
  { field, others }: { field: string; others: string },
): void {
  if (values.length > 1 && values.includes("*"))
    report.invalid(field, values, `if '*' is present, must not specify other ${others}`);
}

/** "pods", "pods/log", "pods/*", "*\/scale", "*" and "*\/*", as far as they do not say the same twice. */
function validateResources(report: Report, resources: readonly unknown[], field: string): void {
  if (resources.length === 0) report.required(field);
  const [wholes, parts] = [new Set<string>(), new Set<string>()];
  for (const [index, resource] of resources.entries()) {
    const at = `${field}[${index}]`;
    const [name = "", part] = `${resource}`.split(/\/(.*)/s);
    if (resource === "") report.required(at);
    if (part === undefined) continue;
    if (wholes.has(name))
      report.invalid(at, resource, `if '${name}/*' is present, must not specify ${resource}`);
    if (parts.has(part))
      report.invalid(at, resource, `if '*/${part}' is present, must not specify ${resource}`);
    if (part === "*") wholes.add(name);
    if (name === "*") parts.add(part);
  }
  if (resources.length > 1 && resources.includes("*/*"))
    report.invalid(field, resources, "if '*/*' is present, must not specify other resources");
  const last = resources.findLast((resource) => resource !== "" && !`${resource}`.includes("/"));
  if (resources.includes("*") && last !== undefined && last !== "*")
    report.invalid(
      field,
      resources,
      "if '*' is present, must not specify other resources without subresources",
    );
}
