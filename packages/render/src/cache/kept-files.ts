import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";

interface Options {
  dir: string;
  clock: Clock;
  maxBytes: number;
  /** How many writes there are between looks at what no longer fits. */
  writesBetweenSweeps: number;
  /** What is called otherwise is of a former version, and removed. Default: all are kept. */
  prefix?: string;
}

/** A write that has not ended. */
const unfinished = ".new";

/**
 * Files of one folder, which nobody else writes to, that are kept for as long as they fit: what was used longest ago
 * goes first. Which there are is known without the disk: most of what is looked for is not there.
 */
export class KeptFiles {
  readonly #options: Options;
  readonly #paths = new Set<string>();
  #writes = 0;

  static async open(options: Options): Promise<KeptFiles> {
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    const files = new KeptFiles(options);
    await files.#clear();
    await files.#sweep();
    return files;
  }

  private constructor(options: Options) {
    this.#options = options;
  }

  /** undefined: there is none. Whether it is what was written is for the caller to see. */
  async read(name: string): Promise<Buffer | undefined> {
    const path = this.#pathOf(name);
    return this.#paths.has(path) ? readFile(path).catch(() => undefined) : undefined;
  }

  /** What is used stays longest. */
  async touch(name: string): Promise<void> {
    const now = this.#options.clock.now() / 1000;
    await utimes(this.#pathOf(name), now, now);
  }

  /** undefined: there is none. */
  async bytesOf(name: string): Promise<number | undefined> {
    const path = this.#pathOf(name);
    return this.#paths.has(path) ? (await stat(path).catch(() => undefined))?.size : undefined;
  }

  async write(name: string, content: string | Buffer): Promise<void> {
    const path = this.#pathOf(name);
    const fresh = `${path}.${randomUUID()}${unfinished}`;
    await writeFile(fresh, content, { mode: 0o600 });
    await rename(fresh, path);
    this.#paths.add(path);
    if (++this.#writes % this.#options.writesBetweenSweeps === 0) await this.#sweep();
  }

  async remove(name: string): Promise<void> {
    await this.#remove(this.#pathOf(name));
  }

  async #remove(path: string): Promise<void> {
    this.#paths.delete(path);
    await rm(path, { force: true });
  }

  #pathOf(name: string): string {
    return join(this.#options.dir, `${this.#options.prefix ?? ""}${name}`);
  }

  /** What a process left that was killed, and former versions. */
  async #clear(): Promise<void> {
    const { dir, prefix = "" } = this.#options;
    for (const name of await readdir(dir))
      if (name.endsWith(unfinished) || !name.startsWith(prefix)) await rm(join(dir, name), { force: true });
  }

  async #sweep(): Promise<void> {
    const { dir, maxBytes } = this.#options;
    const files: { path: string; bytes: number; usedAt: number }[] = [];
    for (const name of await readdir(dir)) {
      if (name.endsWith(unfinished)) continue;
      const path = join(dir, name);
      const found = await stat(path).catch(() => undefined); // removed meanwhile
      if (!found) continue;
      this.#paths.add(path);
      files.push({ path, bytes: found.size, usedAt: found.mtimeMs });
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files.sort((left, right) => left.usedAt - right.usedAt)) {
      if (total <= maxBytes) return;
      await this.#remove(path);
      total -= bytes;
    }
  }
}
