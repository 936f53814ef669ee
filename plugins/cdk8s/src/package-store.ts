import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, utimes } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "@capstan/flow";
import { clearUnused, folderBytes, measureFolder, type Stage } from "@capstan/plugin-kit";
import { isThere } from "@capstan/programs";

export interface StoreLimits {
  /** What all folders may take; those used longest ago go first. */
  readonly totalBytes: number;
  /** What a shared folder may take before an empty one follows it. */
  readonly sharedBytes: number;
}

/** A folder that is not cleared away before it is disposed. */
export interface HeldFolder extends Disposable {
  readonly folder: string;
}

type Means = Pick<Stage, "clock" | "log">;

const defaultLimits: StoreLimits = { totalBytes: 10 * 2 ** 30, sharedBytes: 3 * 2 ** 30 };

/** Folders with what package managers fetched for applications: filled once, cleared when they are too many. */
export class PackageStore {
  readonly #limits: StoreLimits;
  readonly #holders = new Map<string, number>();
  readonly #filling = new Map<string, Promise<void>>();

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  /** The folder, which `fill` has filled whole under another name when it was not there. */
  async filled(folder: string, means: Means, fill: (fresh: string) => Promise<void>): Promise<HeldFolder> {
    const held = this.#hold(folder);
    try {
      if (await markUsed(folder, means)) return held;
      const filling = this.#filling.get(folder) ?? this.#fill(folder, means, fill);
      this.#filling.set(folder, filling);
      await filling.finally(() => this.#filling.delete(folder));
      return held;
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  /** A folder `PREFIX-NUMBER` that programs fill themselves, for all applications: the next one when it has grown too large. */
  async shared(prefix: string, means: Means): Promise<HeldFolder> {
    await mkdir(dirname(prefix), { recursive: true });
    const start = `${basename(prefix)}-`;
    const names = (await readdir(dirname(prefix))).filter((name) => name.startsWith(start));
    const numbers = names.map((name) => Number(name.slice(start.length))).filter(Number.isSafeInteger);
    const last = Math.max(1, ...numbers);
    const isFull = numbers.length > 0 && (await folderBytes(`${prefix}-${last}`)) > this.#limits.sharedBytes;
    const held = this.#hold(`${prefix}-${isFull ? last + 1 : last}`);
    try {
      await mkdir(held.folder, { recursive: true });
      await markUsed(held.folder, means);
      return held;
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
  }

  /** To be told once a program has put more into a shared folder. */
  async grown({ folder }: HeldFolder, means: Means): Promise<void> {
    await this.#orWarn(means, folder, async () => {
      await measureFolder(folder);
      await this.#clear(dirname(folder), means.clock);
    });
  }

  #hold(folder: string): HeldFolder {
    const count = (more: number) => {
      const holders = (this.#holders.get(folder) ?? 0) + more;
      if (holders === 0) this.#holders.delete(folder);
      else this.#holders.set(folder, holders);
    };
    count(1);
    return { folder, [Symbol.dispose]: () => count(-1) };
  }

  async #fill(folder: string, means: Means, fill: (fresh: string) => Promise<void>): Promise<void> {
    const fresh = `${folder}.${randomUUID()}.new`;
    await mkdir(fresh, { recursive: true });
    try {
      await fill(fresh);
      await measureFolder(fresh);
      await markUsed(fresh, means);
      await rename(fresh, folder);
    } catch (error) {
      await rm(fresh, { recursive: true, force: true });
      // Another process was faster.
      if (!(await isThere(folder))) throw error;
    }
    await this.#orWarn(means, folder, () => this.#clear(dirname(folder), means.clock));
  }

  #clear(top: string, clock: Clock): Promise<void> {
    const isHeld = (path: string) => this.#holders.has(path);
    return clearUnused(top, { now: clock.now(), maxBytes: this.#limits.totalBytes, isHeld });
  }

  /** What cannot be cleared is no reason for a render to fail. */
  async #orWarn({ log }: Means, folder: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      log.warn({ folder, error }, "packages of cdk8s applications could not be cleared"),
    );
  }
}

async function markUsed(folder: string, { clock }: Means): Promise<boolean> {
  const now = new Date(clock.now());
  return utimes(folder, now, now).then(
    () => true,
    () => false,
  );
}
