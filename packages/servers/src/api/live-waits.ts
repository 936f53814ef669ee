import type { Clock } from "@capstan/flow";
import type { LiveState, Settings, SettingsSource } from "@capstan/kube";
import { CapstanError, type Manifest, type ResourceKey, sameKey } from "@capstan/model";

interface Patience {
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What changes, as it is and as it becomes. */
interface Followed<T> {
  now: T;
  follow(told: (next: T) => void): () => void;
  isWanted(value: T): boolean;
}

/** Settles with the first value that is as wanted; undefined when none is in time. */
async function until<T>(
  { now, follow, isWanted }: Followed<T>,
  { clock, timeoutMs, signal }: Patience,
): Promise<{ value: T } | undefined> {
  if (isWanted(now)) return { value: now };
  const { promise, resolve } = Promise.withResolvers<{ value: T } | undefined>();
  const over = new AbortController();
  const stop = follow((value) => {
    if (isWanted(value)) resolve({ value });
  });
  const timer = clock.sleep(timeoutMs, AbortSignal.any([signal, over.signal]));
  timer.then(
    () => resolve(undefined),
    () => resolve(undefined),
  );
  try {
    return await promise;
  } finally {
    stop();
    over.abort();
    signal.throwIfAborted();
  }
}

type Live = Pick<LiveState, "get" | "onChange">;

/** Settles with the object as soon as it is as wanted; undefined when it is not so in time. */
export function untilLive(
  live: Live,
  { key, isWanted }: { key: ResourceKey; isWanted(object: Manifest | undefined): boolean },
  patience: Patience,
): Promise<{ value: Manifest | undefined } | undefined> {
  const follow = (told: (next: Manifest | undefined) => void) =>
    live.onChange((change) => {
      if (sameKey(change.key, key)) told(change.current);
    });
  return until({ now: live.get(key), follow, isWanted }, patience);
}

const echoMs = 2_000;

/** Waits until the cache has seen a write, so that the caller's next read does not miss it; at most 2 s, as Argo CD. */
export async function untilEchoed(
  live: Live,
  { key, written }: { key: ResourceKey; written: Manifest | undefined },
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const version = BigInt(written?.metadata.resourceVersion ?? "0");
  const isWanted = (object: Manifest | undefined): boolean => {
    if (object === undefined) return written === undefined;
    if (written === undefined || object.metadata.uid !== written.metadata.uid) return false;
    return BigInt(object.metadata.resourceVersion ?? "0") >= version;
  };
  await untilLive(live, { key, isWanted }, { clock, timeoutMs: echoMs, signal });
}

/** The same of the settings. */
export async function untilSettings(
  settings: Pick<SettingsSource, "current" | "onChange">,
  isWanted: (settings: Settings) => boolean,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  const follow = (told: (next: Settings) => void) => settings.onChange(told);
  await until({ now: settings.current, follow, isWanted }, { clock, timeoutMs: echoMs, signal });
}

export function notInTime(what: string, afterMs: number): CapstanError {
  return new CapstanError({ code: "TIMED_OUT", what, afterMs });
}
