/** The thread in which scripts run, so that one that does not end can be ended; it imports little, so that it starts fast. */
import { parentPort, workerData } from "node:worker_threads";
import { LuaWasm } from "wasmoon";
import { LuaError, type LuaErrorReason } from "./lua-error.ts";
import { hasLua } from "./lua-exports.ts";
import { type LuaBounds, type LuaRun, LuaState } from "./lua-state.ts";

/** `isBroken`: nothing can be run in this thread any more. */
export type LuaAnswer = { value: unknown } | { problem: string; reason: LuaErrorReason; isBroken: boolean };

const bounds: LuaBounds = workerData;
const { module } = await LuaWasm.initialize();
if (!hasLua(module)) throw new Error("this wasmoon does not give Lua's own interface");
const lua = module;
const states = new Map<boolean, LuaState>();

function answer(run: LuaRun): LuaAnswer {
  try {
    const state = states.get(run.openLibs) ?? new LuaState(lua, { isOpen: run.openLibs, bounds });
    states.set(run.openLibs, state);
    return { value: state.run(run) };
  } catch (error) {
    if (error instanceof LuaError) return { problem: error.message, reason: error.reason, isBroken: false };
    const problem = error instanceof Error ? error.message : String(error);
    return { problem, reason: "memory", isBroken: true };
  }
}

parentPort?.on("message", (run: LuaRun) => parentPort?.postMessage(answer(run)));
parentPort?.postMessage("ready");
