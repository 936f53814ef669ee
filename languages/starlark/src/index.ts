export { runStarlark } from "./run-starlark.ts";
export { StarlarkError } from "./script-error.ts";
