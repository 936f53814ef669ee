import { BoundedMap } from "@capstan/flow";

const mostThreads = 10_000;

/** What services remember between two messages, in memory alone, as notifications-engine does. */
export class ServiceMemory {
  /** Slack's threads: the time stamp of their first message, by workspace, recipient and grouping key. */
  readonly threads = new BoundedMap<string>(mostThreads);
  /** Slack's id of a channel, by workspace and recipient. */
  readonly channels = new BoundedMap<string>(mostThreads);
}
