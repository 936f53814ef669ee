import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApplicationMemory } from "./application-memory.ts";
import type { ApplicationNeeds } from "./application-needs.ts";
import { standingOf } from "./standing.ts";

/** So long after a look its result is written down, with those of others: a sync is several looks. */
const settleMs = 20_000;
/** At once, before others have their turn. */
const atOnce = 100;

/** Writes down how applications were found, some time after they were looked at and when this process ends. */
export class StandingBook {
  readonly #needs: ApplicationNeeds;
  readonly #memoryOf: (key: string) => ApplicationMemory | undefined;
  readonly #looked = new Set<string>();
  readonly #signal: AbortSignal;
  #isWaiting = false;

  constructor(
    needs: ApplicationNeeds,
    { memoryOf, signal }: { memoryOf(key: string): ApplicationMemory | undefined; signal: AbortSignal },
  ) {
    this.#needs = needs;
    this.#memoryOf = memoryOf;
    this.#signal = signal;
  }

  looked(key: string): void {
    if (!this.#needs.standings) return;
    const { stands, desired } = this.#memoryOf(key) ?? {};
    // What stands is known: at once, or the next commit would find the Application changed and compare it.
    if (stands && !desired) this.#write(key);
    else this.#later(key);
  }

  #later(key: string): void {
    this.#looked.add(key);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    void this.#writeLater();
  }

  /** All at once: this process ends. */
  finish(): void {
    for (const key of this.#looked) this.#write(key);
    this.#looked.clear();
  }

  async #writeLater(): Promise<void> {
    try {
      await this.#needs.clock.sleep(settleMs, this.#signal);
      for (const [index, key] of [...this.#looked].entries()) {
        if (index % atOnce === atOnce - 1) await nextTurn(undefined, { signal: this.#signal });
        this.#looked.delete(key);
        this.#write(key);
      }
    } catch (error) {
      if (!this.#signal.aborted) this.#needs.log.warn({ error }, "what was found is not kept for a restart");
    } finally {
      this.#isWaiting = false;
    }
  }

  /** What something has asked a look of, or is being looked at, is not what it was found to be. */
  #write(key: string): void {
    const { standings, apps } = this.#needs;
    const [app, memory] = [apps.get(key), this.#memoryOf(key)];
    const isSettled =
      memory?.isLookedAt === false &&
      !memory.schedule.isAsked &&
      memory.leftAt === app?.metadata.resourceVersion;
    standings?.set(key, app && isSettled ? standingOf(this.#needs, { app, memory }) : undefined);
  }
}
