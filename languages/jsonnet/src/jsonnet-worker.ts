/** The thread in which programs run, so that one that does not end can be ended. */
import { parentPort, workerData } from "node:worker_threads";
import { JsonnetError } from "./jsonnet-error.ts";
import { type JsonnetProgram, runJsonnet } from "./run-jsonnet.ts";

export type JsonnetAnswer = { data: unknown } | { problem: string; location: JsonnetError["location"] };

function answer(program: JsonnetProgram): JsonnetAnswer {
  try {
    return { data: runJsonnet(program) };
  } catch (error) {
    if (error instanceof JsonnetError) return { problem: error.problem, location: error.location };
    return { problem: error instanceof Error ? error.message : String(error), location: undefined };
  }
}

parentPort?.postMessage(answer(workerData));
