import type { Limiter } from "@capstan/flow";
import { type NamedQueueOptions, namedQueue, type Plugin } from "@capstan/plugin-kit";

/** A queue for what runs on this machine, and one for each plugin that runs elsewhere: none waits for another's. */
export class RenderQueues {
  readonly #options: NamedQueueOptions;
  readonly #local: Limiter;
  readonly #remote = new Map<string, { concurrency: number; queue: Limiter }>();
  readonly #states = new Map<string, { waiting: number; running: number }>();

  constructor(options: NamedQueueOptions) {
    this.#options = options;
    this.#local = this.#create(options.name, options.atOnce);
  }

  of(plugin: Plugin): Limiter {
    const { concurrency } = plugin;
    if (concurrency === undefined) return this.#local;
    const known = this.#remote.get(plugin.name);
    if (known?.concurrency === concurrency) return known.queue;
    const queue = this.#create(`${this.#options.name} by ${plugin.name}`, concurrency);
    this.#remote.set(plugin.name, { concurrency, queue });
    return queue;
  }

  #create(name: string, atOnce: number): Limiter {
    const onChange: NamedQueueOptions["onChange"] = (state) => {
      this.#states.set(name, state);
      const all = [...this.#states.values()];
      const sum = (field: "waiting" | "running") => all.reduce((total, one) => total + one[field], 0);
      this.#options.onChange?.({ waiting: sum("waiting"), running: sum("running") });
    };
    return namedQueue({ ...this.#options, name, atOnce, onChange });
  }
}
