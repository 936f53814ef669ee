// All that the rest of the cluster uses of the language: read from disk when first needed, by loaded.ts.

export { Authorizer } from "./authorizer.ts";
export { judgePolicy, policyOf, policyProblems, webhookProblems } from "./policy.ts";
export { ruleProblems } from "./rule-problems.ts";
export { checkRules } from "./rules.ts";
export { toDynamic } from "./schema-types.ts";
