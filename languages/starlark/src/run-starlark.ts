import { Worker } from "node:worker_threads";
import type { Clock } from "@capstan/flow";
import type { YamlValue } from "@capstan/krm-yaml";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import type { StarlarkEnd, StarlarkScript } from "./execute-script.ts";
import { StarlarkError } from "./script-error.ts";
import type { StarlarkAnswer } from "./starlark-worker.ts";

export interface StarlarkInput {
  /** Name of the functionConfig; stands where a file name would in messages. */
  name: string;
  /** With items and functionConfig; the script finds its params in the latter. */
  resourceList: YamlValue;
  /** What the script may see of the environment. */
  environment?: Readonly<Record<string, string>>;
  /** Kubernetes' schemas; absent: a script that asks for them is told that there are none. */
  openApi?: YamlValue;
}

export interface StarlarkLimits {
  steps: number;
  ms: number;
  memoryMb: number;
}

export interface StarlarkOptions {
  signal: AbortSignal;
  clock: Pick<Clock, "now">;
  limits?: Partial<StarlarkLimits>;
}

const defaults: StarlarkLimits = { steps: 200_000_000, ms: 60_000, memoryMb: 512 };

/**
 * Runs a script of kpt's starlark function (krm-functions-catalog, functions/go/starlark) in a thread with limits on
 * steps, time and memory. Rejects with a StarlarkError, whose message is the one that kpt puts into the results.
 */
export async function runStarlark(
  source: string,
  { environment = {}, ...input }: StarlarkInput,
  { signal, clock, limits }: StarlarkOptions,
): Promise<StarlarkEnd> {
  const bounds = { ...defaults, ...limits };
  const script = { ...input, source, environment, nowMs: clock.now(), maxSteps: bounds.steps };
  const answer = await runInWorker(script, bounds, signal);
  if ("end" in answer) return answer.end;
  throw new StarlarkError(answer.message, answer);
}

function runInWorker(
  script: StarlarkScript,
  { ms, memoryMb }: StarlarkLimits,
  signal: AbortSignal,
): Promise<StarlarkAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL("./starlark-worker.ts", import.meta.url), {
      workerData: script,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 64 },
      env: sharedCompileCache(),
    });
    const end = (error: unknown): void => {
      reject(error);
      void worker.terminate();
    };
    const stop = (): void => end(signal.reason);
    const timer = setTimeout(() => end(new StarlarkError(`the script did not end within ${ms} ms`)), ms);
    signal.addEventListener("abort", stop, { once: true });
    worker.once("message", (answer: StarlarkAnswer) => {
      resolve(answer);
      void worker.terminate();
    });
    worker.once("error", (error: Error & { code?: string }) => {
      const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      end(new StarlarkError(isFull ? `the script used more than ${memoryMb} MB of memory` : error.message));
    });
    worker.once("exit", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      reject(new StarlarkError("the script ended without an answer"));
    });
  });
}
