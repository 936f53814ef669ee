/** The side of the thread; it imports little, so that a thread starts fast. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { ScriptError, type ScriptErrorReason } from "./script-error.ts";

export { ScriptError } from "./script-error.ts";

/** `isBroken`: nothing can be run in this thread any more. */
export type ScriptAnswer =
  | { value: unknown }
  | { problem: string; reason: ScriptErrorReason; isBroken: boolean };

/** `spentMs`: the processor's time of the thread until then. */
export interface Answered {
  readonly answer: ScriptAnswer;
  readonly spentMs: number;
}

/** `task`: the thread's number, where the system tells one (Linux). */
export interface Ready {
  readonly task: number | undefined;
  readonly spentMs: number;
}

/** On Linux a thread has a priority of its own: whoever answers people goes before scripts. */
const niceness = 10;

/** Says that the thread is ready, and answers each run. What is thrown beside ScriptError has broken the interpreter. */
export function serveRuns<Run>(run: (given: Run) => unknown): void {
  const task = ownTask();
  if (task !== undefined) setPriority(task, niceness);
  const answer = async (given: Run): Promise<ScriptAnswer> => {
    try {
      return { value: await run(given) };
    } catch (error) {
      if (error instanceof ScriptError)
        return { problem: error.message, reason: error.reason, isBroken: false };
      const problem = error instanceof Error ? error.message : String(error);
      return { problem, reason: "memory", isBroken: true };
    }
  };
  parentPort?.on("message", (given: Run) => {
    void answer(given).then((answered) => {
      const told: Answered = { answer: answered, spentMs: spentMs() };
      parentPort?.postMessage(told);
    });
  });
  const ready: Ready = { task, spentMs: spentMs() };
  parentPort?.postMessage(ready);
}

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function ownTask(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return undefined;
  }
}
