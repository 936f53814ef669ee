import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { ProgramGroup } from "./kill-group.ts";
import { SandboxEnd } from "./sandbox-end.ts";

/** What is needed to start a program. */
export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** The user that the program runs as, if that is another: may open its standard output by name. */
  readonly owner?: number;
  /** It is bubblewrap with `infoArguments`: it has ended once all in its sandbox has. */
  readonly isSandbox?: boolean;
}

export interface ProgramExit {
  readonly exitCode: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/** A program in a process group of its own, which ends with it. */
export interface StartedProgram {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProgramExit>;
  /** The whole group; nothing once it has ended. */
  kill(signal: NodeJS.Signals): void;
}

/** One that is there before its standard input is known. */
export interface WaitingProgram extends StartedProgram {
  /** All of its input, once. */
  give(input: string | Uint8Array): void;
}

/** Starts programs; rejects with what the system says where one cannot be started. */
export interface ProgramStarter {
  start(program: ProgramStart): Promise<StartedProgram>;
  /** Absent: this one cannot. */
  startWaiting?(program: Omit<ProgramStart, "stdin">): Promise<WaitingProgram>;
}

/** As children of this process: a fork copies its page tables, a millisecond for some 15 MB. */
export const ownChildren: ProgramStarter = {
  async start({ program, args, cwd, env, stdin, isSandbox }) {
    const input = stdin === undefined ? "ignore" : "pipe";
    const stdio = [input, "pipe", "pipe", ...(isSandbox ? (["pipe"] as const) : [])] as const;
    const child: ChildProcess = spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] });
    const { stdout, stderr, pid } = child;
    if (pid === undefined || !stdout || !stderr) {
      const [error]: unknown[] = await once(child, "error");
      throw error;
    }
    const exited = Promise.withResolvers<ProgramExit>();
    const group = ProgramGroup.of(child);
    const sandbox = new SandboxEnd(child.stdio);
    child.once("exit", (exitCode, killedBy) => {
      void sandbox.wait().then(() => exited.resolve({ exitCode, killedBy }));
    });
    child.once("error", exited.reject);
    child.stdin?.on("error", ignoreUnread).end(stdin);
    return { stdout, stderr, exited: exited.promise, kill: (signal) => group.kill(signal) };
  },
};

function ignoreUnread(): void {
  // It closed its standard input unread: its exit code tells.
}
