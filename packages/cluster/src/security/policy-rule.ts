import { isObject, listAt } from "../schema/json.ts";

/** rbac.authorization.k8s.io/v1 PolicyRule, with every list present. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface Asked {
  readonly verb: string;
  readonly group: string;
  /** "" for requests that name no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly path: string;
}

export function readRules(role: unknown): PolicyRule[] {
  return listAt(role, "rules")
    .filter(isObject)
    .map((rule) => ({
      verbs: texts(rule.verbs),
      apiGroups: texts(rule.apiGroups),
      resources: texts(rule.resources),
      resourceNames: texts(rule.resourceNames),
      nonResourceURLs: texts(rule.nonResourceURLs),
    }));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** plugin/pkg/auth/authorizer/rbac RuleAllows */
export function ruleAllows(rule: PolicyRule, asked: Asked): boolean {
  if (!holds(rule.verbs, asked.verb)) return false;
  if (asked.resource === "") return rule.nonResourceURLs.some((url) => urlCovers(url, asked.path));
  const { resourceNames } = rule;
  return (
    holds(rule.apiGroups, asked.group) &&
    rule.resources.some((resource) => resourceMatches(resource, asked)) &&
    (resourceNames.length === 0 || resourceNames.includes(asked.name))
  );
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

function resourceMatches(pattern: string, { resource, subresource }: Asked): boolean {
  if (pattern === "*") return true;
  if (subresource === "") return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

/** "/healthz/*" covers what begins so. */
function urlCovers(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}

/** The wanted rules that the owned ones do not grant, joined where only verbs differ (component-helpers rbac/validation). */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing = wanted.flatMap(breakDown).filter((rule) => !owned.some((own) => covers(own, rule)));
  const joined = new Map<string, PolicyRule>();
  for (const rule of missing) {
    const isUrl = rule.nonResourceURLs.length > 0;
    const key = JSON.stringify(isUrl ? rule : { ...rule, verbs: [] });
    const before = joined.get(key);
    joined.set(key, before === undefined ? rule : { ...rule, verbs: [...before.verbs, ...rule.verbs] });
  }
  return [...joined.values()];
}

const nothing: PolicyRule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

function breakDown(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames.length === 0 ? [[]] : rule.resourceNames.map((name) => [name]);
  const resources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((resourceNames) => ({
          ...nothing,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
  );
  const urls = rule.nonResourceURLs.flatMap((url) =>
    rule.verbs.map((verb) => ({ ...nothing, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...resources, ...urls];
}

function covers(owned: PolicyRule, wanted: PolicyRule): boolean {
  return (
    wanted.verbs.every((verb) => holds(owned.verbs, verb)) &&
    wanted.apiGroups.every((group) => holds(owned.apiGroups, group)) &&
    wanted.resources.every((resource) => coversResource(owned.resources, resource)) &&
    wanted.nonResourceURLs.every((url) => owned.nonResourceURLs.some((own) => urlCovers(own, url))) &&
    coversNames(owned, wanted)
  );
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (holds(owned, resource)) return true;
  const [, subresource] = resource.split("/");
  return subresource !== undefined && owned.includes(`*/${subresource}`);
}

function coversNames({ resourceNames: owned }: PolicyRule, { resourceNames: wanted }: PolicyRule): boolean {
  return owned.length === 0 || (wanted.length > 0 && wanted.every((name) => owned.includes(name)));
}

/** rbac/v1 helpers CompactString */
export function printRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const texts = parts.filter(([, list]) => list.length > 0).map(([name, list]) => `${name}:${goList(list)}`);
  return `{${texts.join(", ")}}`;
}

/** fmt's %q of a list of strings. */
export function goList(list: readonly string[]): string {
  return `[${list.map((text) => JSON.stringify(text)).join(" ")}]`;
}
