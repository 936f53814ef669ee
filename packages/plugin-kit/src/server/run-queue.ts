import type { Limiter } from "@capstan/flow";
import { namedQueue } from "../named-queue.ts";
import { callName, type PluginDescription } from "../served-plugin.ts";

/** Runs of one plugin at the same time are bounded by `spec.concurrency`, waiting ones by a limit. */
export class RunQueue {
  readonly #limit: number;
  readonly #lanes = new Map<string, Limiter>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Value>(
    plugin: PluginDescription,
    work: () => Promise<Value> | undefined,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    const name = callName(plugin);
    const lane = this.#lanes.get(name) ?? this.#open(name);
    lane.atOnce = plugin.concurrency ?? Number.POSITIVE_INFINITY;
    try {
      return await lane.run(async () => work(), signal);
    } finally {
      if (lane.isIdle) this.#lanes.delete(name);
    }
  }

  #open(name: string): Limiter {
    const lane = namedQueue({
      name: `plugin ${name}`,
      atOnce: Number.POSITIVE_INFINITY,
      limit: this.#limit,
    });
    this.#lanes.set(name, lane);
    return lane;
  }
}
