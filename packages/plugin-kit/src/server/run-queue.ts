import { CapstanError } from "@capstan/model";
import { callName, type PluginDescription } from "./served-plugin.ts";

/** Runs of one plugin at the same time are bounded by `spec.concurrency`, waiting ones by a limit. */
export class RunQueue {
  readonly #limit: number;
  readonly #lanes = new Map<string, { running: number; waiting: Set<() => void> }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Value>(
    plugin: PluginDescription,
    work: () => Promise<Value> | undefined,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    const name = callName(plugin);
    await this.#enter(name, plugin.concurrency ?? Number.POSITIVE_INFINITY, signal);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  async #enter(name: string, concurrency: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    if (lane.running < concurrency) {
      lane.running++;
      return;
    }
    if (lane.waiting.size >= this.#limit)
      throw new CapstanError({ code: "QUEUE_FULL", queue: `plugin ${name}`, limit: this.#limit });
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      if (lane.waiting.delete(turn.resolve)) turn.reject(signal.reason);
    };
    signal.addEventListener("abort", leave, { once: true });
    lane.waiting.add(turn.resolve);
    await turn.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** A waiting run takes over the place of the one that ends. */
  #leave(name: string): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    const [next] = lane.waiting;
    if (next === undefined) {
      lane.running--;
      if (lane.running === 0) this.#lanes.delete(name);
      return;
    }
    lane.waiting.delete(next);
    next();
  }
}
