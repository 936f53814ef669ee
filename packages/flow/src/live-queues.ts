/** What a queue of this process does at this moment. */
export interface LiveQueue {
  readonly name: string;
  /** Longest first. */
  readonly running: readonly KeyFor[];
  readonly waiting: readonly KeyFor[];
  /** How many keys come by themselves at a later time. */
  readonly dueLater: number;
}

interface KeyFor {
  readonly key: string;
  /** For so long. */
  readonly ms: number;
}

const shown = new Set<() => LiveQueue>();

/** The queue is shown until the returned function is called. */
export function showQueue(queue: () => LiveQueue): () => void {
  shown.add(queue);
  return () => void shown.delete(queue);
}

/** For people who look into a process that stands still: all of its queues that have a name. */
export function liveQueues(): LiveQueue[] {
  return Array.from(shown, (queue) => queue());
}
