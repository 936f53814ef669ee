import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

/** The two ends of standard output and standard error. */
export interface OutputPipes {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** For the child. */
  readonly writeEnds: readonly [number, number];
  /** Once the child has them. */
  closeWriteEnds(): void;
}

/**
 * Node gives children sockets, on which `> /dev/stderr` and `tee /dev/stdout` fail, and for which bash believes it
 * was started over the network. A FIFO that has lost its name is a pipe, as Go's os/exec gives.
 */
export async function openOutputPipes(directory: string, owner?: number): Promise<OutputPipes> {
  const paths = [randomUUID(), randomUUID()].map((name) => join(directory, `.${name}`));
  await promisify(execFile)("mkfifo", ["-m", "600", ...paths]);
  const [stdout, stderr] = paths.map((path) => openFifo(path, owner));
  if (!stdout || !stderr) throw new Error("no pipes");
  const writeEnds = [stdout.writeEnd, stderr.writeEnd] as const;
  return {
    stdout: new Socket({ fd: stdout.readEnd, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr.readEnd, readable: true, writable: false }),
    writeEnds,
    closeWriteEnds: () => {
      for (const end of writeEnds) closeSync(end);
    },
  };
}

/** The reading end first, without waiting: then the writing one finds somebody who reads. */
function openFifo(path: string, owner: number | undefined): { readEnd: number; writeEnd: number } {
  try {
    if (owner !== undefined) chownSync(path, owner, owner);
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } finally {
    rmSync(path, { force: true });
  }
}
