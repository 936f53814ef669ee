export { ScriptError, type ScriptErrorReason } from "./script-error.ts";
export { type ScriptResult, type ScriptRun, ScriptThread } from "./script-thread.ts";
