/** The thread in which scripts run, so that one that does not end can be ended; it imports little, so that it starts fast. */
import { workerData } from "node:worker_threads";
import { serveRuns } from "@capstan/script-thread/serve-runs";
import { LuaWasm } from "wasmoon";
import { hasLua } from "./lua-exports.ts";
import { type LuaBounds, type LuaRun, LuaState } from "./lua-state.ts";

const bounds: LuaBounds = workerData;
const { module } = await LuaWasm.initialize();
if (!hasLua(module)) throw new Error("this wasmoon does not give Lua's own interface");
const lua = module;
const states = new Map<boolean, LuaState>();

serveRuns<LuaRun>((run) => {
  const state = states.get(run.openLibs) ?? new LuaState(lua, { isOpen: run.openLibs, bounds });
  states.set(run.openLibs, state);
  return state.run(run);
});
