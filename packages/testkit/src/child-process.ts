import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { eventually } from "./real-clock.ts";

/** A program started for a test: its output kept for failures, ended by its id, or by the kernel when the test dies. */
export interface TestProcess extends AsyncDisposable {
  readonly pid: number;
  output(): string;
  /** The exit code, while it has ended. */
  ended(): number | NodeJS.Signals | undefined;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const keptBytes = 4_000_000;
const graceMs = 60_000;
/** Of util-linux: it becomes the program, so the process id stays. Elsewhere than on Linux a kill -9 leaves orphans. */
const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

export function startProcess(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): TestProcess {
  const [file = program, ...before] = setpriv ? [setpriv, "--pdeathsig", "KILL", "--", program] : [program];
  const child = spawn(file, [...before, ...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-keptBytes);
    });
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  return {
    pid: child.pid ?? -1,
    output: () => (failure ? `${failure.message}\n${printed}` : printed),
    ended: () => (failure ? -1 : (child.exitCode ?? child.signalCode ?? undefined)),
    kill: (signal) => end(child, signal),
    [Symbol.asyncDispose]: () => end(child, "SIGTERM"),
  };
}

const startLimitMs = 100_000;

/** What the probe gives once it gives something; fails with what the program printed when it ends before, or never does. */
export function untilServing<T>(
  program: string,
  { ended, output }: Pick<TestProcess, "ended" | "output">,
  probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const printed = (): string => output().slice(-20_000);
  return eventually(
    () => {
      if (ended() !== undefined) throw new Error(`${program} ended with ${ended()}:\n${printed()}`);
      return probe();
    },
    {
      signal: AbortSignal.timeout(startLimitMs),
      describe: () => `${program} does not serve:\n${printed()}`,
    },
  );
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  const overdue = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exit;
  clearTimeout(overdue);
}
