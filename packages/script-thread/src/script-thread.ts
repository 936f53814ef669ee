import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { type Clock, deadline, orAborted } from "@capstan/flow";
import { sharedCompileCache } from "./compile-cache.ts";
import { FairQueue } from "./fair-queue.ts";
import { ScriptError } from "./script-error.ts";
import type { Answered, Ready } from "./serve-runs.ts";

interface Options {
  clock: Clock;
  /** A module that calls serveRuns. */
  worker: URL;
  /** What messages call that which runs: "the script". */
  what: string;
  /** The worker's workerData. */
  workerData: unknown;
  /** Of a run: so long it may have the processor, and ten times as long it may take where others have that. */
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
/** Of a run's time, while others have the processor. */
const patience = 10;
const threadLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 12 };

/** One thread for scripts of a language, started when the first comes, and anew after one that had to be ended. */
export class ScriptThread<Run> implements AsyncDisposable {
  readonly #options: Options;
  readonly #queue = new FairQueue<Waiting<Run>>();
  readonly #end = new AbortController();
  #worker: Worker | undefined;
  /** The worker's number among the threads of this process, where the system tells one. */
  #task: number | undefined;
  /** The processor's time of the worker before its present run. */
  #spentMs = 0;
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
    const { answer, spentMs } = await this.#wordOf<Answered>(worker, timeMs, late);
    this.#spentMs = spentMs;
    if ("value" in answer) return answer.value;
    if (answer.isBroken) await this.#stop();
    throw new ScriptError(answer.reason, answer.problem);
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(this.#options.worker, {
      workerData: this.#options.workerData,
      resourceLimits: threadLimits,
      env: sharedCompileCache(),
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
    this.#task = undefined;
    const late = () => new ScriptError("time", "the thread of scripts does not start");
    const { task, spentMs } = await this.#wordOf<Ready>(worker, startMs, late);
    this.#task = task;
    this.#spentMs = spentMs;
    return worker;
  }

  /** What the thread says next. */
  async #wordOf<Word>(worker: Worker, ms: number, late: () => ScriptError): Promise<Word> {
    const { what } = this.#options;
    const told = Promise.withResolvers<Word>();
    const fail = (error: Error): void =>
      told.reject(new ScriptError("memory", `${what} was ended: ${error.message}`));
    const exit = (): void => fail(new Error("its thread is gone"));
    worker.on("message", told.resolve).on("error", fail).on("exit", exit);
    try {
      const word = await this.#inTime(told.promise, ms);
      if (word === undefined) throw late();
      return word;
    } catch (error) {
      await this.#stop();
      throw error;
    } finally {
      worker.off("message", told.resolve).off("error", fail).off("exit", exit);
    }
  }

  /** Nothing where the time is up. */
  async #inTime<Word>(told: Promise<Word>, ms: number): Promise<Word | undefined> {
    const { clock } = this.#options;
    const until = clock.now() + ms * patience;
    for (let leftMs = ms; leftMs >= 1; leftMs = Math.min(this.#unspentOf(ms), until - clock.now())) {
      const word = await this.#within(told, leftMs);
      if (word !== undefined) return word;
    }
    return this.#within(told, graceMs);
  }

  async #within<Word>(told: Promise<Word>, ms: number): Promise<Word | undefined> {
    const isLate = Symbol();
    using over = deadline({ clock: this.#options.clock, signal: this.#end.signal, ms, late: () => isLate });
    try {
      return await orAborted(told, over.signal);
    } catch (error) {
      if (error !== isLate) throw error;
      return undefined;
    }
  }

  /** Of so many milliseconds of the processor's time, what the present run has left; none where that is not told. */
  #unspentOf(ms: number): number {
    if (this.#task === undefined) return 0;
    const spentMs =
      Number(readFileSync(`/proc/self/task/${this.#task}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    return ms - (spentMs - this.#spentMs);
  }

  async #stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#spentMs = 0;
    await worker?.terminate();
  }
}
