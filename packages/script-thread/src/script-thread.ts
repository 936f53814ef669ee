import { Worker } from "node:worker_threads";
import { type Clock, deadline, orAborted } from "@capstan/flow";
import { FairQueue } from "./fair-queue.ts";
import { ScriptError } from "./script-error.ts";
import type { ScriptAnswer } from "./serve-runs.ts";

interface Options {
  clock: Clock;
  /** A module that calls serveRuns. */
  worker: URL;
  /** What messages call that which runs: "the script". */
  what: string;
  /** The worker's workerData. */
  workerData: unknown;
  /** Of a run; the thread's start does not count. */
  timeMs: number;
}

export interface ScriptRun<Run> {
  run: Run;
  /** Who shares the thread's time with the others. */
  asker: string;
  /** In place of the thread's own. */
  timeMs?: number | undefined;
}

export interface ScriptResult {
  /** What the worker gave. */
  value: unknown;
  /** Without the wait for others. */
  tookMs: number;
}

interface Waiting<Run> {
  run: Run;
  timeMs: number;
  settle: PromiseWithResolvers<ScriptResult>;
}

/** An answer that lies there already while this process was busy counts. */
const graceMs = 20;
const startMs = 30_000;
const threadLimits = { maxOldGenerationSizeMb: 256 };

/** One thread for scripts of a language, started when the first comes, and anew after one that had to be ended. */
export class ScriptThread<Run> implements AsyncDisposable {
  readonly #options: Options;
  readonly #queue = new FairQueue<Waiting<Run>>();
  readonly #end = new AbortController();
  #worker: Worker | undefined;
  #working: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Rejects with ScriptError, or the signal's reason. */
  async run(
    { run, asker, timeMs = this.#options.timeMs }: ScriptRun<Run>,
    signal: AbortSignal,
  ): Promise<ScriptResult> {
    const both = AbortSignal.any([signal, this.#end.signal]);
    both.throwIfAborted();
    const waiting: Waiting<Run> = { run, timeMs, settle: Promise.withResolvers<ScriptResult>() };
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
    const { clock } = this.#options;
    for (let next = this.#queue.take(); next; next = this.#queue.take()) {
      const { asker, work } = next;
      const begun = clock.now();
      const answered = this.#runOne(work).then((value) => ({ value, tookMs: clock.now() - begun }));
      await answered.then(work.settle.resolve, work.settle.reject);
      this.#queue.charge(asker, clock.now() - begun + 1);
    }
    this.#working = undefined;
  }

  async #runOne({ run, timeMs }: Waiting<Run>): Promise<unknown> {
    const worker = this.#worker ?? (await this.#start());
    try {
      worker.postMessage(run);
    } catch (error) {
      throw new ScriptError("value", `the object cannot be handed over: ${String(error)}`);
    }
    const { what } = this.#options;
    const late = () => new ScriptError("time", `${what} took more than ${timeMs / 1_000} s and was ended`);
    const answer = await this.#answerOf(worker, timeMs, late);
    if (answer === "ready") throw new ScriptError("failed", "the thread of scripts answered out of turn");
    if ("value" in answer) return answer.value;
    if (answer.isBroken) await this.#stop();
    throw new ScriptError(answer.reason, answer.problem);
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(this.#options.worker, {
      workerData: this.#options.workerData,
      resourceLimits: threadLimits,
      env: {},
      // What an interpreter itself says of a state that it gave up is not for the log.
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
    await this.#answerOf(
      worker,
      startMs,
      () => new ScriptError("time", "the thread of scripts does not start"),
    );
    return worker;
  }

  async #answerOf(worker: Worker, ms: number, late: () => ScriptError): Promise<ScriptAnswer | "ready"> {
    const { clock, what } = this.#options;
    const answered = Promise.withResolvers<ScriptAnswer | "ready">();
    const fail = (error: Error): void =>
      answered.reject(new ScriptError("memory", `${what} was ended: ${error.message}`));
    const exit = (): void => fail(new Error("its thread is gone"));
    worker.on("message", answered.resolve).on("error", fail).on("exit", exit);
    using over = deadline({ clock, signal: this.#end.signal, ms, late });
    try {
      return await orAborted(answered.promise, over.signal).catch(async (error: unknown) => {
        if (!(error instanceof ScriptError) || error.reason !== "time") throw error;
        using grace = deadline({ clock, signal: this.#end.signal, ms: graceMs, late: () => error });
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
