import { chownSync, closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

interface Pipe {
  readonly path: string;
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Standard output, error and input of a program as pipes, which Go's os/exec gives too. Node gives sockets, on which
 * `> /dev/stderr` and `tee /dev/stdout` fail, and for which bash believes it was started over the network.
 */
export class ProgramPipes {
  readonly #stdout: Pipe;
  readonly #stderr: Pipe;
  readonly #stdin: Pipe | undefined;

  /** From names of pipes that nobody else uses; the third is for standard input. */
  constructor(names: readonly string[], owner: number | undefined) {
    const [stdout, stderr, stdin] = names.map((path) => openPipe(path, owner));
    if (!stdout || !stderr) throw new TypeError("a program needs two pipes");
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#stdin = stdin;
  }

  get names(): { stdout: string; stderr: string; stdin?: string } {
    const { path: stdout } = this.#stdout;
    const { path: stderr } = this.#stderr;
    return { stdout, stderr, ...(this.#stdin ? { stdin: this.#stdin.path } : {}) };
  }

  /** Once the program has its ends. */
  take(): { stdout: Readable; stderr: Readable; give(input: string): void } {
    this.#forgetNames();
    for (const { writeEnd } of [this.#stdout, this.#stderr]) closeSync(writeEnd);
    const give = this.#takeInput();
    const [stdout, stderr] = [this.#stdout, this.#stderr].map(
      ({ readEnd }) => new Socket({ fd: readEnd, readable: true, writable: false }),
    );
    if (!stdout || !stderr) throw new TypeError("a program needs two pipes");
    return { stdout, stderr, give };
  }

  #takeInput(): (input: string | Uint8Array) => void {
    if (!this.#stdin) return ignoreUnread;
    closeSync(this.#stdin.readEnd);
    const { writeEnd: fd } = this.#stdin;
    const stdin = new Socket({ fd, readable: false, writable: true }).on("error", ignoreUnread);
    return (input) => stdin.end(input);
  }

  /** There is no program. */
  abandon(): void {
    for (const { readEnd, writeEnd } of this.#all()) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
    this.#forgetNames();
  }

  #all(): Pipe[] {
    return [this.#stdout, this.#stderr, ...(this.#stdin ? [this.#stdin] : [])];
  }

  #forgetNames(): void {
    for (const { path } of this.#all()) rmSync(path, { force: true });
  }
}

/** The reading end first: then the writing one finds somebody who reads. */
function openPipe(path: string, owner: number | undefined): Pipe {
  const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
  if (owner !== undefined) chownSync(path, owner, owner);
  const readEnd = openSync(path, O_RDONLY | O_NONBLOCK);
  return { path, readEnd, writeEnd: openSync(path, O_WRONLY | O_NONBLOCK) };
}

function ignoreUnread(): void {
  // It closed its standard input unread, or has none: its exit code tells.
}
