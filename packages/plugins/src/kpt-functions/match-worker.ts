/** The thread in which a package's regular expressions run, so that one that does not end can be ended. */
import { parentPort, workerData } from "node:worker_threads";

export interface MatchRequest {
  source: string;
  flags: string;
  values: readonly string[];
}

/** Of each value the whole match and its groups; null where it does not match. */
export type MatchAnswer = readonly (readonly (string | undefined)[] | null)[];

function answer({ source, flags, values }: MatchRequest): MatchAnswer {
  const expression = new RegExp(source, flags);
  return values.map((value) => {
    const match = expression.exec(value);
    return match ? [...match] : null;
  });
}

parentPort?.postMessage(answer(workerData));
