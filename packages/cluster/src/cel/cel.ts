// All that the rest of the cluster uses of the language: read from disk when first needed, by loaded.ts.

export { Authorizer } from "./authorizer.ts";
export { mutateBy, mutatingPolicyOf, mutatingPolicyProblems } from "./mutation.ts";
export { judgePolicy, policyOf, policyProblems } from "./policy.ts";
export { webhookMeets, webhookProblems } from "./policy-scope.ts";
export { ruleProblems } from "./rule-problems.ts";
export { checkRules } from "./rules.ts";
export { toDynamic } from "./schema-types.ts";
export { subjectsOf, typeWarnings } from "./type-check.ts";
