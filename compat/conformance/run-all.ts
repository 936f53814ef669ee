import { join } from "node:path";
import { type Outcome, runTests } from "./e2e-program.ts";

/** Starting the program costs as much as a quick test; a long list leaves the other processes idle at the end. */
const testsAtATime = 4;

export interface Conformance {
  kubeconfig: string;
  names: readonly string[];
  /** Processes at a time. Serial tests run alone. */
  processes: number;
  /** Folder of logs. */
  logs: string;
  /** A failure that is not foreseen is tried once more, alone: many tests have limits of time of their own. */
  isForeseen(name: string): boolean;
  report(name: string, outcome: Outcome): void;
}

const isSerial = (name: string): boolean => name.includes("[Serial]");

export async function runAll(asked: Conformance): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const runs = { count: 0 };
  const run = async (names: readonly string[]): Promise<void> => {
    runs.count += 1;
    const log = join(asked.logs, `${runs.count}.log`);
    for (const [name, outcome] of await runTests({ kubeconfig: asked.kubeconfig, names, log })) {
      asked.report(name, outcome);
      outcomes.set(name, outcome);
    }
  };
  const waiting = chunksOf(asked.names.filter((name) => !isSerial(name))).values();
  const work = async (): Promise<void> => {
    for (const names of waiting) await run(names);
  };
  await Promise.all(Array.from({ length: asked.processes }, work));
  const serial = asked.names.filter(isSerial);
  if (serial.length > 0) await run(serial);
  const again = asked.names.filter(
    (name) => outcomes.get(name)?.verdict === "failed" && !asked.isForeseen(name),
  );
  for (const name of again) await run([name]);
  return outcomes;
}

/** Neighbours in the alphabet take similar time: dealt out, not cut. */
function chunksOf(names: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(names.length / testsAtATime);
  return Array.from({ length: count }, (_, chunk) => names.filter((_, index) => index % count === chunk));
}
