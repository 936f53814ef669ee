import { childrenOf, startOf } from "./process-status.ts";

/**
 * A program in a process group of its own, with what it started and put into another: bubblewrap does that with a
 * sandbox, which does not end with it when it is ended before all is set up (it asks for that last).
 */
export class ProgramGroup {
  readonly #pid: number;
  readonly #left = new Map<number, string>();
  #isOver = false;

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** Nothing once it has ended: its number may be another's. */
  kill(signal: NodeJS.Signals): void {
    if (this.#isOver) return;
    for (const pid of childrenOf(this.#pid)) this.#left.set(pid, startOf(pid));
    send(-this.#pid, signal);
  }

  /** Once the program itself has ended, or shall. */
  end(): void {
    this.#isOver = true;
    send(-this.#pid, "SIGKILL");
    for (const [pid, start] of this.#left) if (startOf(pid) === start) send(pid, "SIGKILL");
  }
}

/** One that has ended, or belongs to another user, is none of ours. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM")))
      throw error;
  }
}
