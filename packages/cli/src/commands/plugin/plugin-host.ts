import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Clock, orAborted } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { sharedCompileCache } from "@capstan/script-thread/compile-cache";
import { ExitError } from "../../command.ts";

const stopLimitMs = 3_000;
/** From the end of a connection to the news that the process has ended. */
const noticeMs = 500;
const maxTail = 2_000;

/** What the host says: what it serves, or what is wrong with the plugin. */
export interface HostAnswer {
  readonly name?: string;
  readonly address?: string;
  readonly problem?: string;
  /** What is odd about the plugin's file. */
  readonly warnings?: readonly string[];
}

interface HostOptions {
  /** As packages/plugin-kit/src/host.ts takes them. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Hears what the plugin itself prints. */
  onOutput(text: string): void;
}

/** The program of the kit that holds a plugin, and serves it: whatever the plugin does to it, it is one to be ended. */
export class PluginHost {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #answers: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  /** An answer was given up that may still come. */
  #isOwing = false;
  #tail = "";

  constructor({ args, env, clock, onOutput }: HostOptions) {
    const host = fileURLToPath(import.meta.resolve("@capstan/plugin-kit/host"));
    const child = spawn(process.execPath, [host, ...args], {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: { ...env, ...sharedCompileCache() },
    });
    const hear = (chunk: Buffer) => {
      this.#tail = (this.#tail + chunk.toString()).slice(-maxTail);
      onOutput(chunk.toString());
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    // Who writes to a program that has ended hears of its end.
    child.stdin.on("error", () => undefined);
    const [, , , answers] = child.stdio;
    if (!(answers instanceof Readable))
      throw new Error("the plugin's program has no descriptor for its answers");
    this.#child = child;
    this.#clock = clock;
    this.#ended = once(child, "close").catch((error: unknown) => error);
    this.#answers = createInterface({ input: answers })[Symbol.asyncIterator]();
  }

  /** Neither has it ended, nor would its next answer be one to an earlier question. */
  get isUsable(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.#isOwing;
  }

  reload(signal: AbortSignal): Promise<HostAnswer> {
    this.#child.stdin?.write("reload\n");
    return this.answer(signal);
  }

  /** Rejects where the program ends instead, with the last that it printed. */
  async answer(signal: AbortSignal): Promise<HostAnswer> {
    this.#isOwing = true;
    const next = await orAborted(this.#answers.next(), signal);
    this.#isOwing = false;
    const value = next.done ? undefined : parseJson(next.value);
    if (isRecord(value)) return value;
    await this.#ended;
    throw new ExitError(this.howItEnded(), 20);
  }

  /** Whether it has ended, or does so at once: whoever asks it may hear first that it answers no more. */
  async hasEnded(): Promise<boolean> {
    const late = new AbortController();
    await Promise.race([this.#ended, this.#clock.sleep(noticeMs, late.signal).catch(() => undefined)]);
    late.abort();
    return !this.isUsable;
  }

  howItEnded(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exit code ${exitCode}` : signalCode;
    const lines = this.#tail.trim().split("\n");
    const last = lines.findLast((line) => /^\S*(Error|Exception)\b/.test(line)) ?? "";
    return `the plugin's program has ended (${how})${last === "" ? "" : `: ${last}`}`;
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      this.#child.kill("SIGTERM");
      using late = new DisposableStack();
      const waiting = late.adopt(new AbortController(), (one) => one.abort());
      this.#clock.sleep(stopLimitMs, waiting.signal).then(
        () => this.#child.kill("SIGKILL"),
        () => undefined,
      );
      await this.#ended;
    }
  }

  /** At once, with whatever it is busy with. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
