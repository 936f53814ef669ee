import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import type { Log } from "../plugin.ts";
import { KeptTree, type TreeOptions, type WantedTree } from "./kept-tree.ts";

export interface PoolOptions {
  /** Where the directories are made. */
  readonly base: string;
  /** How many are kept while nobody uses them. */
  readonly maxIdle: number;
  readonly log: Log;
  readonly clock: Clock;
}

/** A tree that is in another directory than its own by the end of the run is taken back. */
export interface Lease {
  readonly tree: KeptTree;
  /** After the run: undoes what it wrote and keeps the directory for the next. */
  giveBack(startedMs: number): void;
  /** Something may still write in it. */
  discard(): Promise<void>;
}

interface Kept {
  readonly tree: KeptTree;
  readonly key: string;
  readonly top: string;
}

/** How long a run waits for a directory that another one is filling. */
const relyMs = 10_000;

/** Directories with trees of earlier runs: the next run of a like tree writes only what differs. */
export class TreePool {
  readonly #options: PoolOptions;
  readonly #idle: Kept[] = [];
  /** Keys of directories that are being filled for the first time. */
  readonly #filling = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** `like` names what tends to differ little: a repository and what of it is wanted. */
  async lease(
    wanted: WantedTree,
    like: { key: string; owner?: number },
    options: TreeOptions & { readonly signal: AbortSignal },
  ): Promise<Lease> {
    const key = JSON.stringify([like.key, like.owner, wanted.format, wanted.paths, options.preserveFileMode]);
    const idle = await this.#takeOrWait(key, wanted.id, options.signal);
    const kept = idle === "none" ? this.#create(key, like.owner) : idle;
    const { clock } = this.#options;
    const began = clock.now();
    try {
      await kept.tree.follow(wanted, options);
    } catch (error) {
      if (idle === "none") this.#filled(key);
      await this.#remove(kept);
      throw error;
    }
    if (idle === "none") {
      const filled = () => this.#filled(key);
      clock.sleep(clock.now() - began, options.signal).then(filled, filled);
    }
    return {
      tree: kept.tree,
      giveBack: (startedMs) => this.#giveBack(kept, startedMs),
      discard: () => this.#remove(kept),
    };
  }

  /**
   * Of many that ask at once one fills a directory, and the next only once that has been used for as long as filling
   * took: a short run, as of a discovery, has given it back by then.
   */
  async #takeOrWait(key: string, id: string, signal: AbortSignal): Promise<Kept | "none"> {
    const enough = new AbortController();
    const late = this.#options.clock.sleep(relyMs, AbortSignal.any([signal, enough.signal])).then(
      () => enough.abort(),
      () => undefined,
    );
    try {
      for (;;) {
        const kept = this.#take(key, id);
        if (kept) return kept;
        if (!this.#filling.has(key) || enough.signal.aborted) {
          this.#filling.add(key);
          return "none";
        }
        await Promise.race([this.#changed.promise, late]);
        signal.throwIfAborted();
      }
    } finally {
      enough.abort();
    }
  }

  #filled(key: string): void {
    this.#filling.delete(key);
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #take(key: string, id: string): Kept | undefined {
    const alike = this.#idle.filter((one) => one.key === key);
    const best = alike.findLast(({ tree }) => tree.id === id) ?? alike.at(-1);
    if (best) this.#idle.splice(this.#idle.indexOf(best), 1);
    return best;
  }

  #create(key: string, owner: number | undefined): Kept {
    const top = join(this.#options.base, randomUUID());
    mkdirSync(top, { recursive: true });
    if (owner !== undefined) {
      chownSync(top, owner, owner);
      chmodSync(top, 0o700);
    }
    return { tree: new KeptTree(sourceIn(top), owner), key, top };
  }

  #giveBack(kept: Kept, startedMs: number): void {
    const home = sourceIn(kept.top);
    try {
      kept.tree.restore(startedMs);
      if (kept.tree.root !== home) kept.tree.moveTo(home);
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        "a source directory could not be restored; it is given up",
      );
      void this.#remove(kept);
      return;
    }
    this.#idle.push(kept);
    this.#tellWaiting();
    for (const old of this.#idle.splice(0, Math.max(0, this.#idle.length - this.#options.maxIdle)))
      void this.#remove(old);
  }

  async #remove({ top }: Kept): Promise<void> {
    await rm(top, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) =>
      this.#options.log.error(
        { directory: top, error: messageOf(error) },
        "Failed to clean up temp directory",
      ),
    );
  }
}

function sourceIn(top: string): string {
  return join(top, "source");
}
