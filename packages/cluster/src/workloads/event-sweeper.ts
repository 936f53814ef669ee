import type { Clock } from "@capstan/flow";
import { ApiError, type KubeObject, type Objects } from "../types.ts";
import { resourceTypes } from "./resource-types.ts";

/** kube-apiserver --event-ttl */
const timeToLiveMs = 3_600_000;
const mostEvents = 10_000;
const sweepEveryMs = 15_000;
const mostPerSweep = 500;

/** Removes Events an hour after they were last seen, and the oldest beyond a number, whoever wrote them. */
export async function sweepEvents(needs: {
  objects: Objects;
  clock: Clock;
  signal: AbortSignal;
}): Promise<void> {
  const { objects, clock, signal } = needs;
  /** In order of last change. */
  const seen = new Map<string, { namespace: string; name: string; atMs: number }>();
  const see = (event: KubeObject, atMs: number) => {
    const { namespace = "", name = "" } = event.metadata;
    seen.delete(`${namespace}/${name}`);
    seen.set(`${namespace}/${name}`, { namespace, name, atMs });
  };
  const known = objects
    .list(resourceTypes.events)
    .map((event) => ({ event, atMs: lastSeenMs(event) ?? clock.now() }));
  for (const { event, atMs } of known.sort((a, b) => a.atMs - b.atMs)) see(event, atMs);
  const end = objects.subscribe(resourceTypes.events, ({ type, object }) => {
    if (type === "DELETED") seen.delete(`${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`);
    else see(object, clock.now());
  });
  try {
    while (!signal.aborted) {
      await clock.sleep(sweepEveryMs, signal);
      const old = expired(seen, clock.now());
      await Promise.all(old.map(({ namespace, name }) => deleteIfThere(objects, namespace, name)));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

function expired(
  seen: Map<string, { namespace: string; name: string; atMs: number }>,
  nowMs: number,
): { namespace: string; name: string }[] {
  const old: { namespace: string; name: string }[] = [];
  let excess = seen.size - mostEvents;
  for (const event of seen.values()) {
    if (old.length >= mostPerSweep || (excess <= 0 && nowMs - event.atMs < timeToLiveMs)) break;
    old.push(event);
    excess -= 1;
  }
  return old;
}

async function deleteIfThere(objects: Objects, namespace: string, name: string): Promise<void> {
  try {
    await objects.delete(resourceTypes.events, namespace, name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function lastSeenMs(event: KubeObject): number | undefined {
  const text = event.lastTimestamp ?? event.metadata.creationTimestamp;
  const ms = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
