import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdir, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import { ProgramGroup } from "../kill-group.ts";
import type {
  ProgramExit,
  ProgramStart,
  ProgramStarter,
  StartedProgram,
  WaitingProgram,
} from "../start-program.ts";
import { isReport, type Order, type Report } from "./messages.ts";
import { ProgramPipes } from "./program-pipes.ts";

interface Running extends PromiseWithResolvers<ProgramExit> {
  pid?: number;
}

/** Beside this file, and beside the bundle that this file is part of. */
const program = join(import.meta.dirname, `spawner-worker${extname(import.meta.filename)}`);
const pipesAtOnce = 64;

/**
 * Starts programs by a small process of its own: a fork of one with hundreds of megabytes takes tens of milliseconds,
 * in which it does nothing else. That process begins with the first program, or before it by `prepare`, and again
 * should it be killed.
 */
export class Spawner implements ProgramStarter, AsyncDisposable {
  readonly #directory: string;
  readonly #searchPath: string;
  readonly #orders = new Map<number, PromiseWithResolvers<number | undefined>>();
  readonly #running = new Map<number, Running>();
  #child: ChildProcess | undefined;
  #last = 0;
  #pipes: string[] = [];
  #making: Promise<void> | undefined;

  /** Pipes are made in the directory, which is its own and emptied first; no command should see it. */
  static async open(directory: string, searchPath: string): Promise<Spawner> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o700);
    return new Spawner(directory, searchPath);
  }

  private constructor(directory: string, searchPath: string) {
    this.#directory = directory;
    this.#searchPath = searchPath;
  }

  /** Begins that process now, so that the first program need not wait for it. */
  prepare(): void {
    if (this.#pipes.length === 0) this.#havePipes().catch(() => undefined); // whoever starts a program is told
  }

  get hasBegun(): boolean {
    return this.#child !== undefined;
  }

  async start({ stdin, ...wanted }: ProgramStart): Promise<StartedProgram> {
    const { give, ...started } = await this.#start(wanted, stdin === undefined ? 2 : 3);
    if (stdin !== undefined) give(stdin);
    return started;
  }

  startWaiting(wanted: Omit<ProgramStart, "stdin">): Promise<WaitingProgram> {
    return this.#start(wanted, 3);
  }

  async #start({ owner, ...wanted }: Omit<ProgramStart, "stdin">, pipeCount: 2 | 3): Promise<WaitingProgram> {
    const pipes = new ProgramPipes(await this.#takePipes(pipeCount), owner);
    const id = this.#nextId();
    const running: Running = Promise.withResolvers<ProgramExit>();
    this.#running.set(id, running);
    try {
      const pid = await this.#order(id, { start: id, ...wanted, ...pipes.names });
      if (pid !== undefined) running.pid = pid;
    } catch (error) {
      pipes.abandon();
      this.#running.delete(id);
      this.#keepAlive();
      throw error;
    }
    const kill = (signal: NodeJS.Signals) => {
      if (this.#running.has(id)) this.#send({ kill: id, signal });
    };
    return { ...pipes.take(), exited: running.promise, kill };
  }

  /** Ends what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child?.connected) child.disconnect();
    if (child) this.#lose(child);
    await rm(this.#directory, { recursive: true, force: true });
  }

  #nextId(): number {
    this.#last += 1;
    return this.#last;
  }

  async #takePipes(count: number): Promise<string[]> {
    while (this.#pipes.length < count) await this.#havePipes();
    return this.#pipes.splice(-count);
  }

  /** More of them; whoever asks while some are made waits for the same ones. */
  #havePipes(): Promise<void> {
    this.#making ??= this.#makePipes().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makePipes(): Promise<void> {
    const id = this.#nextId();
    const paths = Array.from({ length: pipesAtOnce }, (_, index) => join(this.#directory, `${id}-${index}`));
    await this.#order(id, { pipes: id, paths });
    this.#pipes.push(...paths);
  }

  async #order(id: number, order: Order): Promise<number | undefined> {
    const answer = Promise.withResolvers<number | undefined>();
    this.#orders.set(id, answer);
    this.#send(order);
    this.#keepAlive();
    return answer.promise;
  }

  #send(order: Order): void {
    const child = this.#child ?? this.#begin();
    child.send(order, (error) => {
      if (error) this.#lose(child);
    });
  }

  #begin(): ChildProcess {
    const child = spawn(process.execPath, [program], {
      // Without it that one would load the compiler, and be twice as large.
      env: { PATH: this.#searchPath, ...sharedCompileCache() },
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child = child;
    for (const event of ["error", "exit", "disconnect"]) child.once(event, () => this.#lose(child));
    child.on("message", (message) => {
      if (isReport(message)) this.#hear(message);
    });
    return child;
  }

  #hear(report: Report): void {
    if ("ended" in report) {
      const { ended, exitCode, killedBy } = report;
      this.#running.get(ended)?.resolve({ exitCode, killedBy });
      this.#running.delete(ended);
    } else if ("done" in report) {
      this.#orders.get(report.done)?.resolve(report.pid);
      this.#orders.delete(report.done);
    } else {
      const { failed, message, code } = report;
      const error = Object.assign(new Error(message), code === undefined ? {} : { code });
      this.#orders.get(failed)?.reject(error);
      this.#orders.delete(failed);
    }
    this.#keepAlive();
  }

  /** Nothing is heard of its programs any more: they are ended, and say so. */
  #lose(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const lost = new Error("the process that starts programs has ended");
    for (const answer of this.#orders.values()) answer.reject(lost);
    this.#orders.clear();
    for (const { pid, resolve } of this.#running.values()) {
      if (pid !== undefined) endGroup(pid);
      resolve({ exitCode: null, killedBy: "SIGKILL" });
    }
    this.#running.clear();
  }

  /** This process goes on for programs, not for the one that starts them. */
  #keepAlive(): void {
    const verb = this.#orders.size + this.#running.size > 0 ? "ref" : "unref";
    this.#child?.[verb]();
    this.#child?.channel?.[verb]?.();
  }
}

function endGroup(pid: number): void {
  const group = new ProgramGroup(pid);
  group.kill("SIGKILL");
  group.end();
}
