/** The schemas alone, for who needs no cluster. */
export { builtinDefinitions } from "./schema/builtin-definitions.ts";
