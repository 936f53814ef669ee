import { Worker } from "node:worker_threads";
import { type Clock, deadline, orAborted } from "@capstan/flow";
import { FairQueue } from "./fair-queue.ts";
import { LuaError } from "./lua-error.ts";
import type { LuaBounds, LuaRun } from "./lua-state.ts";
import type { LuaAnswer } from "./lua-worker.ts";

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

interface Waiting {
  run: LuaRun;
  settle: PromiseWithResolvers<unknown>;
}

const defaultTimeMs = 1_000;
const defaultMemoryBytes = 64 * 1024 * 1024;
const answerBytes = 8 * 1024 * 1024;
/** An answer that lies there already while this process was busy counts. */
const graceMs = 20;
const startMs = 30_000;
const threadLimits = { maxOldGenerationSizeMb: 256 };

/** One thread for scripts, started when the first comes, and anew after one that had to be ended. */
export class LuaThread implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #timeMs: number;
  readonly #bounds: LuaBounds;
  readonly #queue = new FairQueue<Waiting>();
  readonly #end = new AbortController();
  #worker: Worker | undefined;
  #working: Promise<void> | undefined;

  constructor({ clock, timeMs = defaultTimeMs, memoryBytes = defaultMemoryBytes }: Options) {
    this.#clock = clock;
    this.#timeMs = timeMs;
    this.#bounds = { memoryBytes, answerBytes };
  }

  /** What the script gives, as JSON; undefined for nil. Rejects with LuaError, or the signal's reason. */
  async run(
    { asker, script, openLibs, object, parameters = {} }: LuaRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    const both = AbortSignal.any([signal, this.#end.signal]);
    both.throwIfAborted();
    const waiting: Waiting = {
      run: { script, openLibs, object, parameters },
      settle: Promise.withResolvers<unknown>(),
    };
    this.#queue.add(asker, waiting);
    this.#working ??= this.#work();
    try {
      return await orAborted(waiting.settle.promise, both);
    } finally {
      this.#queue.remove(asker, waiting);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error("scripts are not run any more"));
    await this.#working;
    await this.#stop();
  }

  async #work(): Promise<void> {
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const { asker, work } = next;
      const begun = this.#clock.now();
      await this.#runOne(work).then(work.settle.resolve, work.settle.reject);
      this.#queue.charge(asker, this.#clock.now() - begun + 1);
    }
    this.#working = undefined;
  }

  async #runOne({ run }: Waiting): Promise<unknown> {
    const worker = this.#worker ?? (await this.#start());
    try {
      worker.postMessage(run);
    } catch (error) {
      throw new LuaError("value", `the object cannot be handed over: ${String(error)}`);
    }
    const answer = await this.#answerOf(worker, this.#timeMs, () => {
      const seconds = this.#timeMs / 1_000;
      return new LuaError("time", `the script took more than ${seconds} s and was ended`);
    });
    if (answer === "ready") throw new LuaError("failed", "the thread of scripts answered out of turn");
    if ("value" in answer) return answer.value;
    if (answer.isBroken) await this.#stop();
    throw new LuaError(answer.reason, answer.problem);
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(new URL("./lua-worker.ts", import.meta.url), {
      workerData: this.#bounds,
      resourceLimits: threadLimits,
      env: {},
      // What Lua itself says of a state that it gave up is not for the log.
      stderr: true,
    });
    worker.unref();
    // One that ends while nothing is asked of it ends neither this process nor the script that comes next.
    worker
      .on("error", () => undefined)
      .once("exit", () => {
        if (this.#worker === worker) this.#worker = undefined;
      });
    this.#worker = worker;
    await this.#answerOf(worker, startMs, () => new LuaError("time", "the thread of scripts does not start"));
    return worker;
  }

  async #answerOf(worker: Worker, ms: number, late: () => LuaError): Promise<LuaAnswer | "ready"> {
    const answered = Promise.withResolvers<LuaAnswer | "ready">();
    const fail = (error: Error): void =>
      answered.reject(new LuaError("memory", `the script was ended: ${error.message}`));
    const exit = (): void => fail(new Error("its thread is gone"));
    worker.on("message", answered.resolve).on("error", fail).on("exit", exit);
    using over = deadline({ clock: this.#clock, signal: this.#end.signal, ms, late });
    try {
      return await orAborted(answered.promise, over.signal).catch(async (error: unknown) => {
        if (!(error instanceof LuaError) || error.reason !== "time") throw error;
        using grace = deadline({
          clock: this.#clock,
          signal: this.#end.signal,
          ms: graceMs,
          late: () => error,
        });
        return await orAborted(answered.promise, grace.signal);
      });
    } catch (error) {
      await this.#stop();
      throw error;
    } finally {
      worker.off("message", answered.resolve).off("error", fail).off("exit", exit);
    }
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
