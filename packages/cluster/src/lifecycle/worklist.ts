import { type Clock, KeyedQueue } from "@capstan/flow";
import { untilKnown } from "../webhooks/pending.ts";

export interface WorklistOptions {
  /** Done again where it had to wait for a webhook's answer. */
  work: (key: string) => void;
  failed: (key: string, error: unknown) => void;
  clock: Clock;
  signal: AbortSignal;
}

export type Worklist = Pick<KeyedQueue, "add">;

const keysPerTurn = 200;
const retryAfterMs = 2_000;

/**
 * Keys to look at. A bounded number is worked on per turn, so that requests get theirs; what cannot be done now (a full
 * disk, say) is tried again later.
 */
export function openWorklist({ work, failed, clock, signal }: WorklistOptions): Worklist {
  const queue = new KeyedQueue({
    atOnce: keysPerTurn,
    clock,
    signal,
    work: (key) => untilKnown(() => work(key), { signal }),
    failed(key, error) {
      failed(key, error);
      queue.addAt(key, clock.now() + retryAfterMs);
    },
    soon: setImmediate,
  });
  return queue;
}
