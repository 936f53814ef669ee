export { isTooDeep, type JsonBudget, jsonBudget, parseBoundedJson } from "./bounded-json.ts";
export { expansionProblem, maxDepth } from "./expansion.ts";
export { hasGlob, matchesFiles } from "./glob/doublestar.ts";
export { isValidGlob, matchesGlob } from "./glob/gobwas.ts";
export { matchesPath } from "./glob/path-match.ts";
export { canonicalJson, equalJson, parseJson, stringifyJson } from "./json.ts";
export { surveyJson } from "./survey-json.ts";
export { isRange, isVersionIn, newestIn } from "./version-range.ts";
