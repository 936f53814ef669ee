import { type Clock, KeyedQueue } from "@capstan/flow";
import type { PushEvent } from "./push-event.ts";
import { repositoryIdentity } from "./repository-identity.ts";

interface Push {
  readonly provider: string;
  readonly event: PushEvent;
}

interface Needs {
  /** Works one push off. */
  run(push: Push): Promise<void>;
  failed(key: string, error: unknown): void;
  clock: Clock;
}

/** Different pushes that wait. Beyond that the sender is asked to come again. */
const maxWaiting = 1000;
const maxRunning = 8;
/** A longer queue keeps no lists of files: their applications are all asked to look. */
const maxWithFiles = 64;
const maxFiles = 10_000;

/** Pushes wait here for their turn; the same ref of the same repository waits once, however often it is sent. */
export class PushQueue {
  readonly #pushes = new Map<string, Push>();
  readonly #queue: KeyedQueue;

  constructor({ run, clock, failed }: Needs) {
    // The same ref again waits for the end of the former: its applications were asked a moment ago.
    this.#queue = new KeyedQueue({
      atOnce: maxRunning,
      clock,
      failed,
      work: async (key) => {
        const push = this.#pushes.get(key);
        this.#pushes.delete(key);
        if (push) await run(push);
      },
    });
  }

  /** False when too many wait. */
  add({ provider, event }: Push): boolean {
    const key = keyOf(event);
    const waiting = this.#pushes.get(key);
    if (waiting === undefined && this.#pushes.size >= maxWaiting) return false;
    const both = waiting ? filesOfBoth(waiting.event, event) : event.changedFiles;
    const changedFiles = this.#pushes.size < maxWithFiles ? both : undefined;
    this.#pushes.set(key, { provider, event: { ...event, changedFiles } });
    this.#queue.add(key);
    return true;
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }
}

/** The same for the same ref of the same repository. */
export function keyOf({ urls, ref, touchedHead }: PushEvent): string {
  return JSON.stringify([[...new Set(urls.map(repositoryIdentity))].sort(), ref, touchedHead]);
}

function filesOfBoth(one: PushEvent, other: PushEvent): readonly string[] | undefined {
  if (one.changedFiles === undefined || other.changedFiles === undefined) return undefined;
  const files = new Set([...one.changedFiles, ...other.changedFiles]);
  return files.size > maxFiles ? undefined : [...files];
}
