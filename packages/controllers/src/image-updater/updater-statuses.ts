import { updaterName } from "@capstan/engine";
import { isNotFound } from "@capstan/kube";
import { imageUpdaterApiVersion, messageOf } from "@capstan/model";
import { liveUpdaters } from "@capstan/planning";
import { KeyQueue } from "../loop/key-queue.ts";
import type { LoopMetrics } from "../loop/loop-metrics.ts";
import type { UpdateMemory } from "./update-memory.ts";
import type { UpdaterNeeds } from "./updater-needs.ts";
import { isToldAlready, updaterStatus } from "./updater-status.ts";

/** Many applications of one are looked at one after another: what they say together is written this often. */
const leastMs = 2_000;

interface StatusesInput {
  readonly needs: UpdaterNeeds;
  readonly metrics: LoopMetrics;
  /** What was found of each application that is followed. */
  memories(): Iterable<UpdateMemory>;
  readonly log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

/** Writes the status of ImageUpdaters, by their names. */
export class UpdaterStatuses implements AsyncDisposable {
  readonly #input: StatusesInput;
  readonly #queue: KeyQueue;
  /** When a status was written, and when it is to be looked at again; milliseconds since 1970. */
  readonly #times = new Map<string, { writtenMs: number; dueMs: number }>();

  constructor(input: StatusesInput) {
    this.#input = input;
    const { needs, metrics, log } = input;
    this.#queue = new KeyQueue({
      concurrency: 2,
      clock: needs.clock,
      metrics,
      work: (name, signal) => this.#tell(name, signal),
      nextAt: (name) => this.#times.get(name)?.dueMs,
      log,
    });
  }

  changed(name: string): void {
    this.#queue.add(name);
  }

  forget(name: string): void {
    this.#times.delete(name);
    this.#queue.forget(name);
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#queue[Symbol.asyncDispose]();
  }

  async #tell(name: string, signal: AbortSignal): Promise<void> {
    const { needs, memories } = this.#input;
    const { clock, client, live, plans, log } = needs;
    const namespace = name.slice(0, name.indexOf("/"));
    const updater = liveUpdaters(live, namespace).find((one) => updaterName(one) === name);
    if (!updater) return this.forget(name);
    const { intervalMs } = plans;
    const nowMs = clock.now();
    const writtenMs = this.#times.get(name)?.writtenMs ?? 0;
    const looked = [...memories()].filter(({ look }) => look?.updater === name);
    const status = updaterStatus(updater, looked, { nowMs, intervalMs });
    const checkedMs = Date.parse(updater.status?.lastCheckedAt ?? "");
    const isTold = isToldAlready(updater.status, status) && nowMs - checkedMs < intervalMs / 2;
    if (!isTold && nowMs - writtenMs < leastMs) {
      this.#times.set(name, { writtenMs, dueMs: writtenMs + leastMs });
      return;
    }
    this.#times.set(name, { writtenMs: isTold ? writtenMs : nowMs, dueMs: nowMs + intervalMs });
    if (isTold) return;
    const ref = {
      apiVersion: imageUpdaterApiVersion,
      kind: "ImageUpdater",
      namespace,
      name: updater.metadata.name,
    };
    try {
      const body = { status };
      live.observe(await client.patch(ref, { type: "merge", body }, { signal, subresource: "status" }));
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error))
        log.warn({ imageUpdater: name, problem: messageOf(error) }, "its status was not written");
    }
  }
}
