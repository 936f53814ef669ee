export { LuaError, type LuaErrorReason } from "./lua-error.ts";
export { type LuaRequest, LuaThread } from "./lua-thread.ts";
