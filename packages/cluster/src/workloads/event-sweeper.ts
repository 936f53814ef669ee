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
  const seen = new Map<string, Seen>();
  const see = (event: Seen) => {
    const { namespace, name } = event;
    seen.delete(`${namespace}/${name}`);
    seen.set(`${namespace}/${name}`, event);
  };
  for (const { namespace, name } of objects.namesOf(resourceTypes.events)) see({ namespace, name });
  const end = objects.subscribe(resourceTypes.events, ({ type, object }) => {
    if (type === "DELETED") seen.delete(`${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`);
    else {
      const { namespace = "", name = "" } = object.metadata;
      see({ namespace, name, atMs: clock.now() });
    }
  });
  try {
    while (!signal.aborted) {
      await clock.sleep(sweepEveryMs, signal);
      const old = expired(seen, (event, nowMs) => seenAt(objects, event, nowMs), clock.now());
      await Promise.all(old.map(({ namespace, name }) => deleteIfThere(objects, namespace, name)));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

interface Seen {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: it was there at the start, and nobody has had to know. */
  atMs?: number;
}

/** What is looked at is the oldest, and those after it only while it is old: reading all would make a start dear. */
function seenAt(objects: Objects, event: Seen, nowMs: number): number {
  const { namespace, name } = event;
  if (event.atMs === undefined) {
    const object = objects.get(resourceTypes.events, namespace, name);
    event.atMs = object ? (lastSeenMs(object) ?? nowMs) : Number.NEGATIVE_INFINITY;
  }
  return event.atMs;
}

function expired(
  seen: ReadonlyMap<string, Seen>,
  atMsOf: (event: Seen, nowMs: number) => number,
  nowMs: number,
): readonly Seen[] {
  const old: Seen[] = [];
  let excess = seen.size - mostEvents;
  for (const event of seen.values()) {
    if (old.length >= mostPerSweep || (excess <= 0 && nowMs - atMsOf(event, nowMs) < timeToLiveMs)) break;
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
