import type { Clock } from "@capstan/flow";
import type { LiveState, Settings, SettingsSource } from "@capstan/kube";
import { CapstanError, type Manifest, type ResourceKey, sameKey } from "@capstan/model";

interface Patience {
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
}

type Live = Pick<LiveState, "get" | "onChange">;

/** Settles with the object as soon as it is as wanted; undefined when it is not so in time. */
export async function untilLive(
  live: Live,
  { key, isWanted }: { key: ResourceKey; isWanted(object: Manifest | undefined): boolean },
  { clock, timeoutMs, signal }: Patience,
): Promise<{ object: Manifest | undefined } | undefined> {
  const now = live.get(key);
  if (isWanted(now)) return { object: now };
  const { promise, resolve } = Promise.withResolvers<{ object: Manifest | undefined } | undefined>();
  const over = new AbortController();
  const stop = live.onChange((change) => {
    if (sameKey(change.key, key) && isWanted(change.current)) resolve({ object: change.current });
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
  if (isWanted(settings.current)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = new AbortController();
  const stop = settings.onChange((current) => {
    if (isWanted(current)) resolve();
  });
  clock.sleep(echoMs, AbortSignal.any([signal, over.signal])).then(resolve, () => resolve());
  await promise.finally(() => {
    stop();
    over.abort();
  });
}

export function notInTime(what: string, afterMs: number): CapstanError {
  return new CapstanError({ code: "TIMED_OUT", what, afterMs });
}
