import type { Clock } from "@capstan/flow";
import { ScriptError, ScriptThread } from "@capstan/script-thread";
import { type FieldPath, isFieldPath } from "./delete-paths.ts";
import type { JqBounds, JqRun } from "./jq-run.ts";

export interface JqRequest extends JqRun {
  /** Who shares the thread's time with the others. */
  asker: string;
  /** Of this run; default 1 s, which is Argo CD's (controller.ignore.normalizer.jq.timeout). */
  timeMs?: number | undefined;
}

export interface JqFound {
  /** For each object, in order, what the expression names in it; nothing where it fails on that object. */
  paths: Paths;
  /** Without the wait for others. */
  tookMs: number;
}

type Paths = readonly (readonly FieldPath[])[];

interface Options {
  clock: Clock;
  /** Default 64 MB. */
  memoryBytes?: number;
}

const defaultTimeMs = 1_000;
const defaultMemoryBytes = 64 * 1024 * 1024;
const mostPaths = 10_000;
const answerBytes = 4 * 1024 * 1024;

/** jq's path expressions in a thread of their own. */
export class JqThread implements AsyncDisposable {
  readonly #thread: ScriptThread<JqRun>;

  constructor({ clock, memoryBytes = defaultMemoryBytes }: Options) {
    const workerData: JqBounds = { memoryBytes, mostPaths, answerBytes };
    const worker = new URL("./jq-worker.ts", import.meta.url);
    this.#thread = new ScriptThread({
      ...{ clock, worker, workerData, what: "the expression", timeMs: defaultTimeMs },
    });
  }

  /** Rejects with ScriptError where the expression is none (`failed`) or meets a limit, or with the signal's reason. */
  async evaluate({ asker, timeMs, expression, objects }: JqRequest, signal: AbortSignal): Promise<JqFound> {
    const { value, tookMs } = await this.#thread.run({ run: { expression, objects }, asker, timeMs }, signal);
    if (!arePaths(value)) throw new ScriptError("value", "the expression names what are no paths");
    return { paths: value, tookMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }
}

function arePaths(given: unknown): given is Paths {
  return (
    Array.isArray(given) && given.every((paths: unknown) => Array.isArray(paths) && paths.every(isFieldPath))
  );
}
