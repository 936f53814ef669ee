import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { CapstanError } from "@capstan/model";
import { ProgramGroup } from "./kill-group.ts";
import type { Command } from "./run-command.ts";

export interface HeldEnd {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** The last message that it sent. */
  readonly message: unknown;
}

const maxStderrBytes = 64 * 1024;

/** A Node program that is started before there is work for it, is given one piece of work, and ends with that. */
export class HeldProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stderr = "";
  #message: unknown;

  /** In a process group of its own, with a channel for messages; it does not keep this process alive. */
  static start({ program, args, cwd, env }: Pick<Command, "program" | "args" | "cwd" | "env">): HeldProcess {
    const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
    return new HeldProcess(spawn(program, args, { cwd, env, detached: true, stdio: [...stdio] }));
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = Promise.race([once(child, "close"), once(child, "error")]).catch((error: unknown) => error);
    child.on("message", (message) => {
      this.#message = message;
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      if (this.#stderr.length < maxStderrBytes) this.#stderr += chunk.toString();
    });
    this.#keepAlive(false);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.connected;
  }

  /** Gives it its work and waits for its end; aborting ends it. */
  async work(task: object, signal: AbortSignal): Promise<HeldEnd> {
    const stop = () => this.end();
    signal.throwIfAborted();
    signal.addEventListener("abort", stop, { once: true });
    this.#keepAlive(true);
    try {
      this.#child.send(task, ignoreLost);
      const ended = await this.#ended;
      signal.throwIfAborted();
      if (ended instanceof Error)
        throw new CapstanError({ code: "TOOL_MISSING", tool: this.#child.spawnfile }, ended);
      return { exitCode: this.#child.exitCode, stderr: this.#stderr, message: this.#message };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** With all that it started. */
  end(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const group = new ProgramGroup(pid);
    group.kill("SIGKILL");
    group.end();
  }

  #keepAlive(yes: boolean): void {
    const verb = yes ? "ref" : "unref";
    this.#child[verb]();
    this.#child.channel?.[verb]?.();
    const { stderr } = this.#child;
    if (stderr instanceof Socket) stderr[verb]();
  }
}

function ignoreLost(): void {
  // It ended before it took its work: its end tells.
}
