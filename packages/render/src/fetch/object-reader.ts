import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { orAborted } from "@capstan/flow";

export interface GitObject {
  type: string;
  data: Buffer;
}

/** The repository lacks an object that its commit refers to: its copy here is damaged. */
export class ObjectLost extends Error {
  override readonly name = "ObjectLost";
  readonly reader: ObjectReader;

  constructor(reader: ObjectReader, id: string) {
    super(`object ${id} is missing`);
    this.reader = reader;
  }
}

interface Answer {
  type: string;
  size: number;
  data: Buffer;
}

interface Question {
  resolve(answer: Answer | undefined): void;
  reject(error: Error): void;
}

/** The process ended before it answered. */
export class ReaderEnded extends Error {
  override readonly name = "ReaderEnded";
}

/**
 * Objects of one repository through long-lived `git cat-file` processes: started on first use, again after they
 * died. One gives sizes, so that nothing large is read only to be refused.
 */
export class ObjectReader {
  readonly #contents: BatchProcess;
  readonly #sizes: BatchProcess;

  constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.#contents = new BatchProcess(dir, env, "--batch");
    this.#sizes = new BatchProcess(dir, env, "--batch-check");
  }

  /** Nothing when the repository lacks the object. */
  async read(id: string, signal: AbortSignal): Promise<GitObject | undefined> {
    return this.#contents.ask(id, signal);
  }

  async size(id: string, signal: AbortSignal): Promise<number | undefined> {
    return (await this.#sizes.ask(id, signal))?.size;
  }

  get isBusy(): boolean {
    return this.#contents.isBusy || this.#sizes.isBusy;
  }

  close(): void {
    this.#contents.close();
    this.#sizes.close();
  }
}

class BatchProcess {
  readonly #dir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #mode: "--batch" | "--batch-check";
  #child: ChildProcessWithoutNullStreams | undefined;
  #questions: Question[] = [];
  /** Those not yet answered, by id: whoever asks for the same meanwhile gets the same answer. */
  readonly #asked = new Map<string, Promise<Answer | undefined>>();
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Header of the object whose content is still coming. */
  #open: { type: string; size: number } | undefined;

  constructor(dir: string, env: Readonly<Record<string, string>>, mode: "--batch" | "--batch-check") {
    this.#dir = dir;
    this.#env = env;
    this.#mode = mode;
  }

  get isBusy(): boolean {
    return this.#questions.length > 0;
  }

  async ask(id: string, signal: AbortSignal): Promise<Answer | undefined> {
    if (!/^[0-9a-f]{40,64}$/.test(id)) return undefined;
    try {
      return await orAborted(this.#askOnce(id), signal);
    } catch (error) {
      if (!(error instanceof ReaderEnded)) throw error;
      return orAborted(this.#askOnce(id), signal);
    }
  }

  #askOnce(id: string): Promise<Answer | undefined> {
    const asked = this.#asked.get(id) ?? this.#send(id).finally(() => this.#asked.delete(id));
    this.#asked.set(id, asked);
    return asked;
  }

  close(): void {
    this.#child?.kill();
    this.#end(new ReaderEnded("closed"));
  }

  #send(id: string): Promise<Answer | undefined> {
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      this.#questions.push({ resolve, reject });
      this.#write(child.stdin, `${id}\n`);
    });
  }

  /** What is asked in one turn goes out together: each write wakes git. */
  #write(stdin: Writable, line: string): void {
    if (stdin.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    stdin.write(line);
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn("git", ["cat-file", this.#mode], { cwd: this.#dir, env: this.#env, stdio: "pipe" });
    const onEnd = () => {
      if (this.#child === child) this.#end(new ReaderEnded("git cat-file ended"));
    };
    child.on("error", onEnd).on("close", onEnd);
    child.stdin.on("error", onEnd);
    child.stderr.resume();
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#child !== child) return;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      this.#drain();
    });
    this.#child = child;
    return child;
  }

  #end(error: ReaderEnded): void {
    const questions = this.#questions;
    this.#child = undefined;
    this.#questions = [];
    this.#chunks = [];
    this.#bytes = 0;
    this.#open = undefined;
    for (const question of questions) question.reject(error);
  }

  #drain(): void {
    for (;;) {
      if (!this.#open && !this.#readHeader()) return;
      if (!this.#open) continue;
      const { type, size } = this.#open;
      if (this.#bytes < size + 1) return;
      const data = this.#take(size + 1).subarray(0, size);
      this.#open = undefined;
      this.#questions.shift()?.resolve({ type, size, data });
    }
  }

  /** Whether there was a whole line; one of an object without content is answered at once. */
  #readHeader(): boolean {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    const end = this.#chunks[0]?.indexOf(10) ?? -1;
    if (end < 0) return false;
    const [, type = "", size = ""] = this.#take(end + 1)
      .toString("latin1")
      .trimEnd()
      .split(" ");
    if (type === "missing" || size === "") this.#questions.shift()?.resolve(undefined);
    else if (this.#mode === "--batch") this.#open = { type, size: Number(size) };
    else this.#questions.shift()?.resolve({ type, size: Number(size), data: Buffer.alloc(0) });
    return true;
  }

  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const rest = all.subarray(count);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#bytes -= count;
    return all.subarray(0, count);
  }
}
