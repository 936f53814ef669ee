import { longText, ownTurn } from "@capstan/flow";
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
