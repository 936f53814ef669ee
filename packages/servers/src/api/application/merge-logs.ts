import type { Clock } from "@capstan/flow";
import type { LogEntry } from "@capstan/wire";

interface MergeOptions {
  /** Lines still come: they are put in order within a short window only. */
  isFollowed: boolean;
  clock: Clock;
  signal: AbortSignal;
}

/** Argo CD's window (util/... mergeLogStreams). */
const windowMs = 100;
/** Lines read ahead of the reader, over all Pods. */
const maxAhead = 1000;

/** Several logs as one, in order of time. */
export function mergeLogs(
  streams: readonly AsyncIterable<LogEntry>[],
  options: MergeOptions,
): AsyncIterable<LogEntry> {
  const [only] = streams;
  if (only && streams.length === 1) return only;
  return options.isFollowed ? mergeFollowed(streams, options) : mergeEnded(streams);
}

function isBefore(left: LogEntry, right: LogEntry): boolean {
  return (left.timeStampStr ?? "") < (right.timeStampStr ?? "");
}

/** Each log is in order already: always the earliest of their heads. */
async function* mergeEnded(streams: readonly AsyncIterable<LogEntry>[]): AsyncIterable<LogEntry> {
  const heads: { entry: LogEntry; rest: AsyncIterator<LogEntry> }[] = [];
  for (const stream of streams) {
    const rest = stream[Symbol.asyncIterator]();
    const first = await rest.next();
    if (!first.done) heads.push({ entry: first.value, rest });
  }
  while (heads.length > 0) {
    let earliest = 0;
    for (const [index, head] of heads.entries()) {
      const best = heads[earliest];
      if (best && isBefore(head.entry, best.entry)) earliest = index;
    }
    const head = heads[earliest];
    if (!head) return;
    yield head.entry;
    const next = await head.rest.next();
    if (next.done) heads.splice(earliest, 1);
    else head.entry = next.value;
  }
}

async function* mergeFollowed(
  streams: readonly AsyncIterable<LogEntry>[],
  { clock, signal }: MergeOptions,
): AsyncIterable<LogEntry> {
  const ahead: LogEntry[] = [];
  let open = streams.length;
  let moved = Promise.withResolvers<void>();
  const wake = () => {
    moved.resolve();
    moved = Promise.withResolvers<void>();
  };
  const pump = async (stream: AsyncIterable<LogEntry>) => {
    for await (const entry of stream) {
      ahead.push(entry);
      wake();
      while (ahead.length >= maxAhead && !signal.aborted) await clock.sleep(windowMs, signal);
    }
  };
  for (const stream of streams)
    void pump(stream)
      .catch(() => undefined)
      .finally(() => {
        open -= 1;
        wake();
      });
  while (open > 0 || ahead.length > 0) {
    signal.throwIfAborted();
    if (ahead.length === 0) {
      await moved.promise;
      continue;
    }
    if (open > 0) await clock.sleep(windowMs, signal);
    const batch = ahead.splice(0).sort((left, right) => (isBefore(left, right) ? -1 : 1));
    yield* batch;
  }
}
