import { matchesGlob } from "@capstan/formats";
import { matchesRegexp } from "../regexp.ts";
import { builtinPolicy } from "./builtin-policy.ts";
import type { Policy, PolicyRule } from "./parse-policy.ts";

export interface EnforcerOptions {
  /** The operator's policies, in order; the built-in one comes first by itself. */
  policies: readonly Policy[];
  /** `policy.default`. */
  defaultRole?: string;
  /** `policy.matchMode`. */
  matchMode?: "glob" | "regex";
}

export interface AccessRequest {
  /** User id first; each of the groups is judged by itself. */
  subject: string;
  groups?: readonly string[];
  resource: string;
  action: string;
  object: string;
  /** Policies of the project that the object belongs to. */
  projectPolicy?: Policy;
}

export interface Enforcer {
  allows(request: AccessRequest): boolean;
}

interface Index {
  rules: Map<string, PolicyRule[]>;
  roles: Map<string, string[]>;
}

type Matches = (pattern: string, text: string) => boolean;

/**
 * Argo CD's answers without its engine: some allow and no deny among the rules of a subject and of all roles it has
 * (Argo CD: util/rbac). Rules are found by subject, so that a check does not grow with the policy.
 */
export function createEnforcer({ policies, defaultRole, matchMode }: EnforcerOptions): Enforcer {
  const index = indexPolicies([builtinPolicy, ...policies]);
  const matches = matchMode === "regex" ? matchesExpression : matchesGlobOrSelf;
  const projectIndexes = new WeakMap<Policy, Index>();
  const indexOf = (policy: Policy): Index => {
    const known = projectIndexes.get(policy);
    if (known !== undefined) return known;
    const made = indexPolicies([policy]);
    projectIndexes.set(policy, made);
    return made;
  };
  return {
    allows(request) {
      if (defaultRole !== undefined && defaultRole !== "") {
        // An allow of the default role is final; its deny only falls through.
        if (judge({ ...request, subject: defaultRole }, [index], matches)) return true;
      }
      const indexes = request.projectPolicy === undefined ? [index] : [index, indexOf(request.projectPolicy)];
      if (judge(request, indexes, matches)) return true;
      const groups = request.groups ?? [];
      return groups.some(
        (group) =>
          indexes.some(({ roles }) => roles.has(group)) &&
          judge({ ...request, subject: group }, indexes, matches),
      );
    },
  };
}

function indexPolicies(policies: readonly Policy[]): Index {
  const index: Index = { rules: new Map(), roles: new Map() };
  for (const { rules, grants } of policies) {
    for (const rule of rules) append(index.rules, rule.subject, rule);
    for (const { member, role } of grants) append(index.roles, member, role);
  }
  return index;
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function judge(
  { subject, resource, action, object }: AccessRequest,
  indexes: readonly Index[],
  matches: Matches,
): boolean {
  let isAllowed = false;
  for (const name of rolesOf(subject, indexes)) {
    for (const { rules } of indexes) {
      for (const rule of rules.get(name) ?? []) {
        if (rule.isAllow && isAllowed) continue;
        if (!matches(rule.resource, resource) || !matches(rule.action, action)) continue;
        if (!matches(rule.object, object)) continue;
        if (!rule.isAllow) return false;
        isAllowed = true;
      }
    }
  }
  return isAllowed;
}

/** The subject itself and every role that it has, directly or through another role. */
function rolesOf(subject: string, indexes: readonly Index[]): Set<string> {
  const found = new Set([subject]);
  for (const name of found) {
    for (const { roles } of indexes) for (const role of roles.get(name) ?? []) found.add(role);
  }
  return found;
}

const matchesGlobOrSelf: Matches = (pattern, text) => pattern === text || matchesGlob(pattern, text);

/** One that is none matches nothing, like an invalid glob. */
const matchesExpression: Matches = (pattern, text) => matchesRegexp(pattern, text);
