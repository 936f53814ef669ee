/** Lets at most `limit` tasks run at a time; the others wait in order, at most `maxWaiting` of them. */
export interface Limiter {
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createLimiter(limit: number, maxWaiting: number): Limiter {
  let running = 0;
  const waiting = new Set<() => void>();

  function release(): void {
    running -= 1;
    for (const next of waiting) {
      waiting.delete(next);
      next();
      return;
    }
  }

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (running < limit) {
      running += 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw new Error(`${waiting.size} requests are waiting already`);
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", stop);
        running += 1;
        resolve();
      };
      const stop = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      waiting.add(start);
    });
  }

  return {
    async run(task, signal) {
      await turn(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
