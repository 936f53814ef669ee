export { deletePaths, type FieldPath } from "./delete-paths.ts";
export { type JqFound, type JqRequest, JqThread } from "./jq-thread.ts";
