/** The thread in which scripts run, so that one that does not end can be ended. */
import { parentPort, workerData } from "node:worker_threads";
import { executeScript, type StarlarkEnd, type StarlarkScript } from "./execute-script.ts";
import { StarlarkError } from "./script-error.ts";

export type StarlarkAnswer =
  | { end: StarlarkEnd }
  | { message: string; trace: readonly string[]; printed: string };

function answer(script: StarlarkScript): StarlarkAnswer {
  try {
    return { end: executeScript(script) };
  } catch (error) {
    if (error instanceof StarlarkError) {
      const { message, trace, printed } = error;
      return { message, trace, printed };
    }
    return { message: error instanceof Error ? error.message : String(error), trace: [], printed: "" };
  }
}

parentPort?.postMessage(answer(workerData));
