export { type LuaRequest, LuaThread } from "./lua-thread.ts";
