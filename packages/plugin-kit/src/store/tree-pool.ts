import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@capstan/model";
import type { Log } from "../plugin.ts";
import { KeptTree, type TreeOptions, type WantedTree } from "./kept-tree.ts";

export interface PoolOptions {
  /** Where the directories are made. */
  readonly base: string;
  /** How many are kept while nobody uses them. */
  readonly maxIdle: number;
  readonly log: Log;
}

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

/** Directories with trees of earlier runs: the next run of a like tree writes only what differs. */
export class TreePool {
  readonly #options: PoolOptions;
  readonly #idle: Kept[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** `like` names what tends to differ little: a repository and what of it is wanted. */
  async lease(
    wanted: WantedTree,
    like: { key: string; owner?: number },
    options: TreeOptions,
  ): Promise<Lease> {
    const key = JSON.stringify([like.key, like.owner, wanted.format, wanted.paths, options.preserveFileMode]);
    const kept = this.#take(key, wanted.id) ?? this.#create(key, like.owner);
    try {
      await kept.tree.follow(wanted, options);
    } catch (error) {
      await this.#remove(kept);
      throw error;
    }
    return {
      tree: kept.tree,
      giveBack: (startedMs) => this.#giveBack(kept, startedMs),
      discard: () => this.#remove(kept),
    };
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
    return { tree: new KeptTree(join(top, "source"), owner), key, top };
  }

  #giveBack(kept: Kept, startedMs: number): void {
    try {
      kept.tree.restore(startedMs);
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        "a source directory could not be restored; it is given up",
      );
      void this.#remove(kept);
      return;
    }
    this.#idle.push(kept);
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
