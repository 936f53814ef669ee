import type { PolicyRule } from "../security/policy-rule.ts";
import { aggregate, mayDoAnything, type Rbac, rbacGroup } from "../security/rbac.ts";
import type { User } from "../security/user.ts";

/** SubjectRulesReviewStatus: everything that a user may do in a namespace, as kubectl auth can-i --list shows it. */
export function listRules(rbac: Rbac, user: User, namespace: string): Record<string, unknown> {
  const { rules, missing } = rbac.holdings(user, namespace);
  const bound = mayDoAnything(user) ? withoutBinding(rules) : rules;
  const errors = missing.map(
    ({ kind, name }) => `${kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(name)} not found`,
  );
  return {
    resourceRules: bound.filter(({ resources }) => resources.length > 0).map(resourceRule),
    nonResourceRules: bound
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  };
}

/** The administrators' binding may have been deleted: they stay what they are. */
function withoutBinding(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  if (rules.some(({ verbs, apiGroups }) => verbs.includes("*") && apiGroups.includes("*"))) return rules;
  const all = { verbs: ["*"], resourceNames: [] };
  return [
    ...rules,
    { ...all, apiGroups: ["*"], resources: ["*"], nonResourceURLs: [] },
    { ...all, apiGroups: [], resources: [], nonResourceURLs: ["*"] },
  ];
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): Record<string, unknown> {
  return { verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) };
}
