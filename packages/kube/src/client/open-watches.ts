import { type Clock, showQueue } from "@capstan/flow";

interface OpenWatch {
  readonly key: string;
  readonly since: number;
  readonly clock: Clock;
}

const open = new Set<OpenWatch>();
let hide: (() => void) | undefined;

/** Shows a watch among the queues of this process, as work that goes on, until it is disposed of. */
export function showWatch(key: string, clock: Clock): Disposable {
  const watch = { key, since: clock.now(), clock };
  open.add(watch);
  hide ??= showQueue(() => ({
    name: "watches",
    running: Array.from(open, ({ key, since, clock: its }) => ({ key, ms: its.now() - since })),
    waiting: [],
    dueLater: 0,
  }));
  return {
    [Symbol.dispose]() {
      open.delete(watch);
      if (open.size > 0) return;
      hide?.();
      hide = undefined;
    },
  };
}
