/** Said once for all: without a reason each end would make one of its own, with the calls that led to it. */
const nobodyWaits = new Error("nobody waits for it any more");

/** Calls that are asked for again while they run are run once; a call nobody waits for any more is aborted. */
export class SharedCalls<Value> {
  readonly #running = new Map<string, { waiting: number; abort: AbortController; result: Promise<Value> }>();

  /** Also those that nobody waits for any more. */
  readonly #ending = new Set<Promise<Value>>();

  async join(
    key: string,
    start: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value> {
    signal.throwIfAborted();
    const call = this.#running.get(key) ?? this.#start(key, start);
    call.waiting++;
    try {
      return await orAborted(call.result, signal);
    } finally {
      if (--call.waiting === 0) {
        call.abort.abort(signal.aborted ? signal.reason : nobodyWaits);
        if (this.#running.get(key) === call) this.#running.delete(key);
      }
    }
  }

  /** Until every call under way has ended. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#ending]);
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Value>) {
    const abort = new AbortController();
    const result = start(abort.signal).finally(() => {
      this.#ending.delete(result);
      if (this.#running.get(key) === call) this.#running.delete(key);
    });
    this.#ending.add(result);
    const call = { waiting: 0, abort, result };
    this.#running.set(key, call);
    return call;
  }
}

/** Who waits until a signal is aborted. */
const waiting = new WeakMap<AbortSignal, { all: Set<() => void>; end(): void }>();

/**
 * The promise, or the signal's reason when that comes first. A signal has one listener for all that wait by it:
 * `addEventListener` goes through those that are there, which for the thousands of files of a tree takes seconds.
 */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  const waiters = waiting.get(signal) ?? waitFor(signal);
  waiters.all.add(onAbort);
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    waiters.all.delete(onAbort);
    if (waiters.all.size === 0) waiters.end();
  }
}

function waitFor(signal: AbortSignal) {
  const all = new Set<() => void>();
  const onAbort = () => {
    for (const one of all) one();
  };
  const end = () => {
    signal.removeEventListener("abort", onAbort);
    if (waiting.get(signal) === waiters) waiting.delete(signal);
  };
  const waiters = { all, end };
  signal.addEventListener("abort", onAbort, { once: true });
  waiting.set(signal, waiters);
  return waiters;
}
