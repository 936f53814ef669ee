import { BoundedMap } from "@capstan/flow";

/** The first message of a thread of Slack: its time stamp, and Slack's id of the channel that it stands in. */
export interface SlackThread {
  readonly ts: string;
  readonly channel: string;
}

/** Keeps a thread where a process that comes after finds it. */
export type KeepThread = (key: string, thread: SlackThread, signal: AbortSignal) => Promise<void>;

const mostThreads = 1_000;

/** What services remember between two messages: of notifications-engine in memory alone, here beyond a restart. */
export class ServiceMemory {
  readonly #threads = new BoundedMap<SlackThread>(mostThreads);
  readonly #keep: KeepThread | undefined;

  constructor(known: Iterable<readonly [string, SlackThread]> = [], keep?: KeepThread) {
    for (const [key, thread] of known) this.#threads.set(key, thread);
    this.#keep = keep;
  }

  thread(key: string): SlackThread | undefined {
    return this.#threads.get(key);
  }

  async begin(key: string, thread: SlackThread, signal: AbortSignal): Promise<void> {
    this.#threads.set(key, thread);
    await this.#keep?.(key, thread, signal);
  }
}
