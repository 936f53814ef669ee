import type { ChildProcess } from "node:child_process";
import { childrenOf, startOf } from "./process-status.ts";

/**
 * A program in a process group of its own, with what it started and put into another: bubblewrap does that with a
 * sandbox, which does not end with it when it is ended before all is set up (it asks for that last).
 */
export class ProgramGroup {
  readonly #pid: number | undefined;
  readonly #left = new Map<number, string>();
  #isOver = false;

  /** Of a child that was started with a group of its own: it ends with the child. */
  static of(child: ChildProcess): ProgramGroup {
    const group = new ProgramGroup(child.pid);
    child.once("exit", () => group.end());
    return group;
  }

  /** Undefined: it could not be started. */
  constructor(pid: number | undefined) {
    this.#pid = pid;
  }

  /** Nothing once it has ended: its number may be another's. */
  kill(signal: NodeJS.Signals): void {
    if (this.#isOver || this.#pid === undefined) return;
    for (const pid of childrenOf(this.#pid)) this.#left.set(pid, startOf(pid));
    send(-this.#pid, signal);
  }

  /** Once the program itself has ended, or shall. */
  end(): void {
    this.#isOver = true;
    if (this.#pid === undefined) return;
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
