import { randomInt } from "node:crypto";
import { stringifyJson } from "@capstan/formats";
import type { World } from "../objects/world.ts";
import { Entry } from "../store/entry.ts";
import type { StoreEvent } from "../store/event-log.ts";
import { ApiError, type ApiResponse, type KubeObject } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { EventStream } from "./event-stream.ts";
import { InOrder } from "./in-order.ts";
import {
  isTrue,
  readCount,
  readRevision,
  readSelection,
  type Selection,
  selectEntries,
} from "./list-options.ts";
import { entryText, partialOf, prepareEntries, readEntry, tableOf } from "./represent.ts";

const limits = { lines: 20_000, characters: 64_000_000 };
const bookmarkEveryMs = 60_000;

interface Watch {
  world: World;
  call: ResourceCall;
  selection: Selection;
  stream: EventStream;
  /** Table watches name their columns once. */
  headed: boolean;
  /** Does what pushes lines, after all that came before: at once, or when a webhook has converted what it takes. */
  inTurn: (push: () => void) => void;
}

export async function watchObjects(world: World, call: ResourceCall): Promise<ApiResponse> {
  const selection = readSelection(call.served, call.query);
  const { revision } = readRevision(call.query, true);
  const initial = call.query.get("sendInitialEvents");
  const timeoutSeconds = readCount(call.query, "timeoutSeconds") || randomInt(1_800, 3_600);
  const watch = await open(world, { call, selection, revision, initial });
  void keepAlive(watch, timeoutSeconds);
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private" },
    body: watch.stream.read(),
  };
}

interface Start {
  call: ResourceCall;
  selection: Selection;
  revision: number | undefined;
  initial: string | null;
}

/** The objects of now may hold writes that are not in the file yet: nothing is sent before they are. */
async function open(world: World, start: Start): Promise<Watch> {
  for (;;) {
    const watch = subscribe(world, start);
    if ((await world.store.flushed()) === undefined) return watch;
    watch.stream.close();
  }
}

function subscribe(world: World, { call, selection, revision, initial }: Start): Watch {
  const { store } = world;
  const { type } = call.served;
  const fromNow = initial === null ? revision === undefined || revision === 0 : isTrue(initial) || !revision;
  const since = fromNow ? store.revision : (revision ?? 0);
  let unsubscribe: () => void = () => undefined;
  const stream = new EventStream(limits, () => unsubscribe());
  const inTurn = turnsOf(call, stream);
  const watch: Watch = { world, call, selection, stream, headed: false, inTurn };
  if (fromNow) {
    if (initial === null || isTrue(initial)) sendAll(watch);
    if (isTrue(initial) && isTrue(call.query.get("allowWatchBookmarks")))
      inTurn(() => stream.push(bookmark(watch, since, { "k8s.io/initial-events-end": "true" })));
  } else {
    const events = store.eventsSince(type, since);
    if (events === undefined) {
      stream.push(errorEvent(410, "Expired", `too old resource version: ${since} (${store.revision})`));
      stream.close();
      return watch;
    }
    for (const event of events) inTurn(() => sendEvent(watch, event));
  }
  unsubscribe = store.subscribe(type, (event) => {
    if (event.entry.revision > since) inTurn(() => sendEvent(watch, event));
  });
  return watch;
}

/** What cannot be converted ends the watch; the client begins again with a list. */
function turnsOf({ served, request }: ResourceCall, stream: EventStream): Watch["inTurn"] {
  if (served.conversion === undefined) return (push) => push();
  const queue = new InOrder({
    signal: request.signal,
    mostWaiting: limits.lines,
    failed(error) {
      if (error instanceof ApiError) stream.push(errorEvent(error.code, error.reason, error.message));
      stream.close();
    },
  });
  return (push) => queue.add(push);
}

/** Ends the watch when its time is over or the client has gone, and tells it meanwhile how far it has got. */
async function keepAlive(watch: Watch, timeoutSeconds: number): Promise<void> {
  const { world, call, stream, inTurn } = watch;
  const { clock, store } = world;
  const { signal } = call.request;
  const wantsBookmarks = isTrue(call.query.get("allowWatchBookmarks"));
  const end = clock.now() + timeoutSeconds * 1_000;
  try {
    while (clock.now() < end) {
      await clock.sleep(Math.min(bookmarkEveryMs, Math.max(0, end - clock.now())), signal);
      const revision = store.committedRevision;
      if (wantsBookmarks) inTurn(() => stream.push(bookmark(watch, revision)));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stream.close();
  }
}

function sendAll(watch: Watch): void {
  const { world, call, selection, stream, inTurn } = watch;
  const { served, namespace } = call;
  const entries = world.store.list(served.type, namespace === "" ? undefined : namespace);
  inTurn(() => {
    const selected = selectEntries(served, selection, entries);
    prepareEntries(served, selected);
    const texts = Entry.texts(selected);
    for (const [index, entry] of selected.entries())
      stream.push(line(watch, "ADDED", { entry, text: texts[index] }));
  });
}

function sendEvent(watch: Watch, { kind, entry, previous }: StoreEvent): void {
  const { call, selection, stream } = watch;
  if (call.namespace !== "" && entry.namespace !== call.namespace) return;
  if (selection.name !== undefined && entry.name !== selection.name) return;
  const seen = selectedEvent(selection, { kind, entry, previous });
  if (seen === undefined) return;
  if (seen !== "LEFT") stream.push(line(watch, seen, { entry }));
  else if (previous !== undefined) {
    // For this watch the object is gone: its last matching state, at the revision of the change.
    const metadata = { ...previous.object.metadata, resourceVersion: String(entry.revision) };
    stream.push(objectLine(watch, "DELETED", { ...readEntry(call.served, previous), metadata }));
  }
}

/** What a change is to a watch with a selector: objects come and go by matching. */
function selectedEvent(
  selection: Selection,
  { kind, entry, previous }: StoreEvent,
): StoreEvent["kind"] | "LEFT" | undefined {
  if (!selection.narrow) return kind;
  const matched = previous !== undefined && selection.matches(previous);
  if (kind === "DELETED") return matched ? kind : undefined;
  if (selection.matches(entry)) return matched ? "MODIFIED" : "ADDED";
  return matched ? "LEFT" : undefined;
}

/** `text`: the entry's, where it has been read. */
function line(
  watch: Watch,
  kind: string,
  { entry, text }: { entry: Entry; text?: string | undefined },
): string {
  const { served, representation } = watch.call;
  if (representation.as === "Object")
    return `{"type":"${kind}","object":${entryText(served, entry, text)}}\n`;
  return objectLine(watch, kind, readEntry(served, entry));
}

function objectLine(watch: Watch, kind: string, object: KubeObject): string {
  const { call, world } = watch;
  return `{"type":"${kind}","object":${stringifyJson(shown(watch, call, { object, now: world.clock.now() }))}}\n`;
}

function shown(
  watch: { headed: boolean },
  call: ResourceCall,
  { object, now }: { object: KubeObject; now: number },
): unknown {
  if (call.representation.as === "Object") return object;
  if (call.representation.as === "PartialObjectMetadata") return partialOf(call, object);
  const table = tableOf(call, [object], {
    now,
    list: { resourceVersion: object.metadata.resourceVersion ?? "" },
  });
  if (watch.headed) table.columnDefinitions = null;
  watch.headed = true;
  return table;
}

function bookmark(
  { world, call }: Pick<Watch, "world" | "call">,
  revision: number,
  annotations?: Record<string, string>,
): string {
  const { served } = call;
  const object: KubeObject = {
    kind: served.info.kind,
    apiVersion: served.apiVersion,
    metadata: { resourceVersion: String(revision), ...(annotations && { annotations }) },
  };
  const content = shown({ headed: true }, call, { object, now: world.clock.now() });
  return `{"type":"BOOKMARK","object":${stringifyJson(content)}}\n`;
}

function errorEvent(code: number, reason: string, message: string): string {
  return `${stringifyJson({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason && { reason }),
      code,
    },
  })}\n`;
}
