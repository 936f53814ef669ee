import { readFileSync } from "node:fs";

/**
 * A program in a process group of its own, with what it started and put into another: bubblewrap does that with a
 * sandbox, which does not end with it when it is ended before all is set up (it asks for that last).
 */
export class ProgramGroup {
  readonly #pid: number;
  readonly #left = new Map<number, string>();

  constructor(pid: number) {
    this.#pid = pid;
  }

  kill(signal: NodeJS.Signals): void {
    const tasks = read(`/proc/${this.#pid}/task/${this.#pid}/children`).split(" ");
    for (const pid of tasks.filter(Boolean).map(Number)) this.#left.set(pid, startOf(pid));
    send(-this.#pid, signal);
  }

  /** Once the program itself has ended, or shall. */
  end(): void {
    send(-this.#pid, "SIGKILL");
    for (const [pid, start] of this.#left) if (startOf(pid) === start) send(pid, "SIGKILL");
  }
}

/** When a process began: its number may be another's by now (proc_pid_stat(5), starttime). */
function startOf(pid: number): string {
  return read(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[19] ?? "";
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended, or this is no Linux
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
