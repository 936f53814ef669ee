import type { Clock } from "@capstan/flow";
import { ScriptThread } from "@capstan/script-thread";
import type { LuaBounds, LuaRun } from "./lua-state.ts";

export interface LuaRequest extends Omit<LuaRun, "parameters"> {
  /** Global `actionParams`. */
  parameters?: Readonly<Record<string, string>>;
  /** Who shares the thread's time with the others. */
  asker: string;
}

interface Options {
  clock: Clock;
  /** Default 1 s, which is Argo CD's (util/lua/lua.go). */
  timeMs?: number;
  /** Default 64 MB. */
  memoryBytes?: number;
}

const defaultTimeMs = 1_000;
const defaultMemoryBytes = 64 * 1024 * 1024;
const answerBytes = 8 * 1024 * 1024;

/** Lua scripts in a thread of their own. */
export class LuaThread implements AsyncDisposable {
  readonly #thread: ScriptThread<LuaRun>;

  constructor({ clock, timeMs = defaultTimeMs, memoryBytes = defaultMemoryBytes }: Options) {
    const workerData: LuaBounds = { memoryBytes, answerBytes };
    const worker = new URL("./lua-worker.ts", import.meta.url);
    this.#thread = new ScriptThread({ clock, worker, what: "the script", workerData, timeMs });
  }

  /**
   * What the script gives, as JSON; undefined for nil. Rejects with ScriptError, whose message names the script's line
   * as `<string>:3:`, as gopher-lua's does, or with the signal's reason.
   */
  async run({ asker, parameters = {}, ...rest }: LuaRequest, signal: AbortSignal): Promise<unknown> {
    const { script, openLibs, object } = rest;
    const run = { script, openLibs, object, parameters };
    return (await this.#thread.run({ run, asker }, signal)).value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}
