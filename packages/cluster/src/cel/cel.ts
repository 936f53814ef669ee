// All that the rest of the cluster uses of the language: read from disk when first needed, by loaded.ts.
export { ruleProblems } from "./rule-problems.ts";
export { checkRules } from "./rules.ts";
