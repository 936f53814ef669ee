import type { PushEvent } from "./push-event.ts";
import { repositoryIdentity } from "./repository-identity.ts";

interface Push {
  readonly provider: string;
  readonly event: PushEvent;
}

interface Needs {
  /** Works one push off; failures are its own. */
  run(push: Push): Promise<void>;
}

/** Different pushes that wait. Beyond that the sender is asked to come again. */
const maxWaiting = 1000;
const maxRunning = 8;
/** A longer queue keeps no lists of files: their applications are all asked to look. */
const maxWithFiles = 64;
const maxFiles = 10_000;

/** Pushes wait here for their turn; the same ref of the same repository waits once, however often it is sent. */
export class PushQueue {
  readonly #needs: Needs;
  readonly #waiting = new Map<string, Push>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** False when too many wait. */
  add({ provider, event }: Push): boolean {
    const key = keyOf(event);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined && this.#waiting.size >= maxWaiting) return false;
    const both = waiting ? filesOfBoth(waiting.event, event) : event.changedFiles;
    const changedFiles = this.#waiting.size < maxWithFiles ? both : undefined;
    this.#waiting.set(key, { provider, event: { ...event, changedFiles } });
    this.#startNext();
    return true;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #startNext(): void {
    for (const [key, push] of this.#waiting) {
      if (this.#running.size >= maxRunning) return;
      // The same ref again waits for the end of the former: its applications were asked a moment ago.
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      const work = this.#needs.run(push).finally(() => {
        this.#running.delete(key);
        this.#startNext();
      });
      this.#running.set(key, work);
    }
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
