import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { ProgramGroup } from "@capstan/plugin-kit";

const graceMs = 5_000;
const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** A program of Capstan's own, started by this process. */
export interface Child {
  /** To it, as its file descriptor 3: it ends with this, which ends with this process in whatever way. */
  readonly stream: Socket;
  /** When it has ended, with how. */
  readonly ended: Promise<ChildEnd>;
  /** At once. */
  kill(): void;
}

export interface ChildEnd {
  /** "it was ended by SIGKILL" */
  readonly how: string;
  readonly signal?: NodeJS.Signals;
}

export interface ChildOptions {
  /** What stands before its own words, as a sandbox. */
  readonly before?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Node's own flags. */
  readonly node?: readonly string[];
}

export function startChild(
  words: readonly string[],
  { before = [], env = process.env, node = [] }: ChildOptions = {},
): Child {
  const [file = process.execPath, ...args] = [...before, process.execPath, ...node, program, ...words];
  const child = spawn(file, args, {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    env,
    // A terminal's Ctrl-C is for this process, which has questions still.
    detached: true,
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Socket)) throw new TypeError("a program was started without its socket");
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once("error", (error) => resolve({ how: `it cannot be started: ${error.message}` }));
    child.once("exit", (code, signal) => resolve(describeEnd(signal ?? signalOf(code ?? 0), code)));
  });
  const group = ProgramGroup.of(child);
  const kill = (): void => {
    stream.destroy();
    group.kill("SIGKILL");
  };
  return { stream, ended, kill };
}

/** Closes its socket, upon which it ends by itself; what hangs is killed. */
export async function endChild({ stream, ended, kill }: Child, clock: Clock): Promise<void> {
  stream.destroy();
  const over = new AbortController();
  void ended.then(() => over.abort(new Error("it has ended")));
  await clock.sleep(graceMs, over.signal).then(kill, () => undefined); // it has ended
}

/** A sandbox and a shell end with 128 and the number of the signal that ended their program. */
function signalOf(code: number): NodeJS.Signals | undefined {
  const found = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return found && isSignal(found[0]) ? found[0] : undefined;
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}

function describeEnd(signal: NodeJS.Signals | undefined, code: number | null): ChildEnd {
  return signal === undefined
    ? { how: `it ended with exit code ${code}` }
    : { how: `it was ended by ${signal}`, signal };
}
