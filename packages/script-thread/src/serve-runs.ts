/** The side of the thread; it imports little, so that a thread starts fast. */
import { parentPort } from "node:worker_threads";
import { ScriptError, type ScriptErrorReason } from "./script-error.ts";

export { ScriptError } from "./script-error.ts";

/** `isBroken`: nothing can be run in this thread any more. */
export type ScriptAnswer =
  | { value: unknown }
  | { problem: string; reason: ScriptErrorReason; isBroken: boolean };

/** Says that the thread is ready, and answers each run. What is thrown beside ScriptError has broken the interpreter. */
export function serveRuns<Run>(run: (given: Run) => unknown): void {
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
    void answer(given).then((answered) => parentPort?.postMessage(answered));
  });
  parentPort?.postMessage("ready");
}
