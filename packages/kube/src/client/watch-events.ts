import { BoundedMap, longText, ownTurn } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";

import { kubeErrorOf } from "./kube-error.ts";

export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: Manifest;
}

/** An object of 3 MiB is already more than etcd takes. */
const maxLine = 16 * 1024 * 1024;

/** Cuts a stream into lines. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncIterable<string> {
  let rest = "";
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      const line = rest + piece.slice(start, end);
      rest = "";
      start = end + 1;
      if (line !== "") yield line;
    }
    rest += piece.slice(start);
    if (rest.length > maxLine) throw new Error(`a line of the stream is longer than ${maxLine} characters`);
  }
  if (rest !== "") yield rest;
}

/** Characters of lines that were read a moment ago. */
const recentLength = 1_000_000;

/** An ERROR event, or something that is no event, ends it with an error. */
export async function* readWatch(
  pieces: AsyncIterable<string>,
  read: (line: string) => WatchEvent,
): AsyncIterable<WatchEvent> {
  for await (const line of linesOf(pieces)) {
    if (line.length > longText) await ownTurn();
    yield read(line);
  }
}

/**
 * For several watches that bring the same change in the same words, at nearly the same time: it is parsed once, and
 * they share the object, which nobody may change.
 */
export function sharedEvents(): (line: string) => WatchEvent {
  const recent = new BoundedMap<WatchEvent>(recentLength);
  return (line) => {
    const known = recent.get(line);
    if (known) return known;
    const event = readEvent(line);
    recent.set(line, event, line.length);
    return event;
  };
}

export function readEvent(line: string): WatchEvent {
  const event: unknown = parseJson(line);
  if (!isRecord(event)) throw new Error("the watch sent something that is not an event");
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      if (!isManifest(object)) throw new Error(`the watch sent a ${type} event without an object`);
      return { type, object };
    case "ERROR":
      throw kubeErrorOf(500, object);
    default:
      throw new Error(`the watch sent an event of unknown type ${String(type)}`);
  }
}
