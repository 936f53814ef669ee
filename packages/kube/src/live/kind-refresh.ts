import { type Clock, growingPause } from "@capstan/flow";
import type { Manifest } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import type { KubeLog } from "../kube-log.ts";
import { definedKind, isBehind } from "./defined-kinds.ts";

interface Needs {
  clock: Clock;
  log: KubeLog;
  signal: AbortSignal;
  /** Asks the server which kinds it serves, and follows them. */
  refresh(): Promise<readonly ApiResource[]>;
  /** CustomResourceDefinitions as they are known now. */
  definitions(): readonly Manifest[];
}

/** CRD events come in bursts (created, names accepted, established). */
const settleMs = 15;
const retryMs = 5_000;
/** A server that has not caught up after these is not waited for: something else has the kind's group. */
const mostTries = 20;
const behind = { firstMs: 100, longestMs: 1_000 };

/** Asks again which kinds a cluster serves, once what defines them has changed, until the server has caught up. */
export class KindRefresh {
  readonly #needs: Needs;
  readonly #left = new Set<string>();
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** How often the server was behind, one time after the other. */
  #tries = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  soon(): void {
    this.#isWanted = true;
    this.#tries = 0;
    this.#running ??= this.#run();
  }

  /** Where what was found out is older than the definitions. */
  ifBehind(rows: readonly ApiResource[]): void {
    if (this.#isBehind(rows)) this.soon();
  }

  /** That definition is there no more. */
  gone(definition: Manifest): void {
    this.#left.add(definedKind(definition));
    this.soon();
  }

  /** What is under way has ended. */
  async ended(): Promise<void> {
    await this.#running;
  }

  #isBehind(rows: readonly ApiResource[]): boolean {
    return isBehind(rows, { definitions: this.#needs.definitions(), left: this.#left });
  }

  async #run(): Promise<void> {
    const { clock, log, signal, refresh } = this.#needs;
    while (this.#isWanted && !signal.aborted) {
      try {
        await clock.sleep(this.#tries === 0 ? settleMs : growingPause(this.#tries, behind), signal);
        this.#isWanted = false;
        const before = this.#tries;
        const rows = await refresh();
        // What has changed meanwhile is asked for anew.
        if (this.#isWanted) continue;
        this.#tries = this.#isBehind(rows) ? before + 1 : 0;
        if (this.#tries > 0 && this.#tries < mostTries) this.#isWanted = true;
        else this.#left.clear();
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, "the cluster's kinds cannot be read");
        this.#isWanted = true;
        await clock.sleep(retryMs, signal).catch(() => undefined);
      }
    }
    // At once, not when whoever waits is told: what is wanted in between would be forgotten.
    this.#running = undefined;
  }
}
