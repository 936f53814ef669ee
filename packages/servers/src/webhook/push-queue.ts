import { EventQueue, type EventQueueNeeds } from "./event-queue.ts";
import type { PushEvent } from "./push-event.ts";
import { repositoryIdentity } from "./repository-identity.ts";

export interface Push {
  readonly provider: string;
  readonly event: PushEvent;
  /** Its sender knows the secret. */
  readonly isProven: boolean;
}

/** A longer queue keeps no lists of files: their applications are all asked to look. */
const maxWithFiles = 64;
const maxFiles = 10_000;

/** Pushes wait here for their turn; the same ref of the same repository waits once, with the files of both. */
export class PushQueue {
  readonly #queue: EventQueue<Push>;

  constructor(needs: EventQueueNeeds<Push>) {
    this.#queue = new EventQueue(needs);
  }

  /** False when too many wait. */
  add({ event, ...push }: Push): boolean {
    const key = keyOf(event);
    const waiting = this.#queue.waiting(key);
    const both = waiting ? filesOfBoth(waiting.event, event) : event.changedFiles;
    const changedFiles = this.#queue.size < maxWithFiles ? both : undefined;
    return this.#queue.add(key, { ...push, event: { ...event, changedFiles } });
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
