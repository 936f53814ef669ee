import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "@capstan/model";

const graceMs = 5_000;
const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** A program of Capstan's own, started by this process. */
export interface Child {
  /** To it, as its file descriptor 3: it ends with this, which ends with this process in whatever way. */
  readonly stream: Socket;
  /** When it has ended, with how. */
  readonly ended: Promise<string>;
  /** At once. */
  kill(): void;
}

/** `before`: what stands before its own words, as a sandbox. */
export function startChild(
  words: readonly string[],
  { before = [], env = process.env }: { before?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Child {
  const [file = process.execPath, ...args] = [...before, process.execPath, program, ...words];
  const child = spawn(file, args, {
    stdio: ["ignore", "ignore", "inherit", "pipe"],
    env,
    // A terminal's Ctrl-C is for this process, which has questions still.
    detached: true,
  });
  const stream = child.stdio[3];
  if (!(stream instanceof Socket)) throw new TypeError("a program was started without its socket");
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`it cannot be started: ${error.message}`));
    child.once("exit", (code, signal) =>
      resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    );
  });
  return { stream, ended, kill: () => child.kill("SIGKILL") };
}

/** Closes its socket, upon which it ends by itself; what hangs is killed. */
export async function endChild({ stream, ended, kill }: Child, clock: Clock): Promise<void> {
  stream.destroy();
  const over = new AbortController();
  void ended.then(() => over.abort(new Error("it has ended")));
  await clock.sleep(graceMs, over.signal).then(kill, () => undefined); // it has ended
}
