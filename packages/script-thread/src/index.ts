export { ScriptError } from "./script-error.ts";
export { ScriptThread } from "./script-thread.ts";
