import type { LiveChange } from "@capstan/kube";
import type { Application } from "@capstan/model";
import type { ApplicationWatchEvent } from "@capstan/wire";
import type { ApiContext } from "../context.ts";
import { applicationGroup, isApplication } from "./read-application.ts";
import { withResourceHealth } from "./resource-health.ts";
import { readVersion } from "./resource-version.ts";

export interface ApplicationChange {
  readonly event: ApplicationWatchEvent;
  /** As it was. */
  readonly previous: Application | undefined;
  /** For whom it was there before and is not any more: its end, as it was; the same for everybody. */
  left(): ApplicationWatchEvent | undefined;
}

/** Changes of Applications, told to every listener as one and the same event. */
export interface ApplicationFeed {
  listen(listener: (change: ApplicationChange) => void): () => void;
  /** The newest resource version that was seen: of an Application, or of their list. */
  newest(): bigint;
  /** Ends told after a list of that version, as far as they are remembered; undefined: some may be forgotten. */
  deletedSince(version: bigint): readonly ApplicationWatchEvent[] | undefined;
  /** Those that went a moment ago: who asks for a deletion and then waits for it may come too late to see it. */
  deleted(name: string): readonly ApplicationWatchEvent[];
  close(): void;
}

const [rememberedMs, mostRemembered] = [30_000, 1_000];

type Needs = Pick<ApiContext, "live" | "clusters" | "controlNamespace" | "settings" | "scripts" | "clock">;

export function createApplicationFeed(context: Needs): ApplicationFeed {
  const { live, clock } = context;
  const versions = followVersions(live);
  const ends = rememberEnds();
  const listeners = new Set<(change: ApplicationChange) => void>();
  const close = live.onChange((change) => {
    const isGone = change.current === undefined;
    const object = change.current ?? change.previous;
    if (change.key.kind !== "Application" || !isApplication(object)) return;
    const after = versions.newest();
    versions.see(object);
    if (listeners.size === 0 && !isGone) return ends.forget(idOf(object));
    const told = readChange(context, change, object);
    if (isGone) ends.add(idOf(object), { event: told.event, at: clock.now(), after });
    else ends.forget(idOf(object));
    for (const listener of listeners) listener(told);
  });
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    newest: versions.newest,
    deletedSince: (version) => (version < versions.first() ? undefined : ends.since(version)),
    deleted: (name) => ends.named(name, clock.now() - rememberedMs),
    close,
  };
}

function idOf({ metadata }: Application): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/**
 * The list and all objects are looked at once, when first asked; from then on each change. Without the list's version,
 * who comes from another server with what had ended before this one listed would take that for what there is.
 */
function followVersions(live: Needs["live"]) {
  let newest: bigint | undefined;
  let first = 0n;
  const read = (): bigint => {
    if (newest !== undefined) return newest;
    const kind = { group: applicationGroup, kind: "Application" };
    const objects = live.ofKind(kind.group, kind.kind).map(({ metadata }) => metadata.resourceVersion);
    newest = 0n;
    for (const text of [...live.listVersions(kind), ...objects]) {
      const version = readVersion(text);
      if (version > newest) newest = version;
    }
    first = newest;
    return newest;
  };
  return {
    newest: read,
    /** What came before it was not followed. */
    first(): bigint {
      read();
      return first;
    },
    see({ metadata }: Application): void {
      const version = readVersion(metadata.resourceVersion);
      if (version > read()) newest = version;
    },
  };
}

interface End {
  readonly event: ApplicationWatchEvent;
  readonly at: number;
  /** What was the newest version when it came: lists of later versions have been without it. */
  readonly after: bigint;
}

/** The latest ends. One that was made anew has none. */
function rememberEnds() {
  const ends = new Map<string, End>();
  /** Lists of this version and before may still have what is forgotten here. */
  let forgotten = -1n;
  return {
    add(id: string, end: End): void {
      ends.delete(id);
      ends.set(id, end);
      for (const [oldest, { after }] of ends) {
        if (ends.size <= mostRemembered) break;
        ends.delete(oldest);
        if (after > forgotten) forgotten = after;
      }
    },
    forget: (id: string): void => void ends.delete(id),
    since: (version: bigint) =>
      version <= forgotten
        ? undefined
        : [...ends.values()].filter(({ after }) => after >= version).map(({ event }) => event),
    named: (name: string, since: number) =>
      [...ends].filter(([id, { at }]) => id.endsWith(`/${name}`) && at > since).map(([, { event }]) => event),
  };
}

function readChange(
  context: Needs,
  { previous, current }: LiveChange,
  object: Application,
): ApplicationChange {
  const before = isApplication(previous) ? previous : undefined;
  const application = withResourceHealth(context, object);
  const type = current === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
  let left: ApplicationWatchEvent | undefined;
  return {
    event: { type, application },
    previous: before,
    left() {
      if (before) left ??= { type: "DELETED", application: withResourceHealth(context, before) };
      return left;
    },
  };
}
