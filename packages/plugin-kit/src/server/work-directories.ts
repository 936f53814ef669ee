import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { chmod, mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../plugin.ts";

/** A directory of one request, gone when the request and all that it started have ended. */
export interface WorkDirectory extends AsyncDisposable {
  /** Holds the source. */
  readonly root: string;
  /** For the plugin's own files. */
  readonly scratch: string;
  keepUntil(ended: Promise<unknown>): void;
}

/** Makes a directory per request below one that is wiped at the start (Argo CD: cmpserver/plugin/plugin.go Init). */
export class WorkDirectories implements AsyncDisposable {
  readonly base: string;
  readonly #removals = new Set<Promise<void>>();
  readonly #log: Pick<Log, "error">;

  private constructor(base: string, log: Pick<Log, "error">) {
    this.base = base;
    this.#log = log;
  }

  static async create(base: string, log: Pick<Log, "error">): Promise<WorkDirectories> {
    await rm(base, { recursive: true, force: true });
    await mkdir(base, { recursive: true, mode: 0o711 });
    // Other users find their own directory by its name alone.
    await chmod(base, 0o711);
    return new WorkDirectories(await realpath(base), log);
  }

  async open(owner?: number): Promise<WorkDirectory> {
    const top = join(this.base, randomUUID());
    const [root, scratch] = [join(top, "source"), join(top, "scratch")];
    for (const directory of [top, root, scratch]) mkdirSync(directory, { mode: 0o755 });
    if (owner !== undefined) {
      for (const directory of [top, root, scratch]) chownSync(directory, owner, owner);
      chmodSync(top, 0o700);
    }
    const ends: Promise<unknown>[] = [];
    return {
      root,
      scratch,
      keepUntil: (ended) => void ends.push(ended),
      // Nobody waits for the removal: a command may take its five seconds to end after the caller is answered.
      [Symbol.asyncDispose]: async () => {
        const removed = Promise.allSettled(ends).then(() => this.#remove(top));
        this.#removals.add(removed);
        void removed.finally(() => this.#removals.delete(removed));
      },
    };
  }

  /** After all requests: waits for what they started, and leaves nothing. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#removals);
    await this.#remove(this.base);
  }

  async #remove(top: string): Promise<void> {
    try {
      await rm(top, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      this.#log.error({ directory: top, error }, "Failed to clean up temp directory");
    }
  }
}
