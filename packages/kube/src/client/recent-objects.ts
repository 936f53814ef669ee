import { BoundedMap } from "@capstan/flow";
import { parseJson } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";
import { readEvent, type WatchEvent } from "./watch-events.ts";

/** Reads what a cluster tells of its objects. */
export interface ObjectReader {
  /** A line of a watch. */
  event(line: string): WatchEvent;
  /** The answer to a write. */
  answer(text: string): unknown;
}

export const plainReader: ObjectReader = { event: readEvent, answer: parseJson };

/** Characters of objects that were read a moment ago. */
const recentLength = 1_000_000;

/**
 * A write's answer and the watches tell the same object in the same words, at nearly the same time: it is parsed once, and
 * they share it, which nobody may change.
 */
export function sharingReader(): ObjectReader {
  const recent = new BoundedMap<Manifest>(recentLength);
  const read = (text: string): unknown => {
    const known = recent.get(text);
    if (known) return known;
    const value = parseJson(text);
    if (isManifest(value)) recent.set(text, value, text.length);
    return value;
  };
  return {
    event(line) {
      const [type, text = ""] = partsOf(line) ?? [];
      if (type === undefined) return readEvent(line);
      try {
        const object = read(text);
        if (isManifest(object)) return { type, object };
      } catch {
        // More stands behind the object, or it is no JSON: who reads all of the line says which.
      }
      return readEvent(line);
    },
    // The API server ends an answer's line, and none within a watch's.
    answer: (text) => read(text.endsWith("\n") ? text.slice(0, -1) : text),
  };
}

/** As every API server writes them (apimachinery's metav1.WatchEvent); of anything else nothing is said. */
function partsOf(line: string): [type: "ADDED" | "MODIFIED" | "DELETED", text: string] | undefined {
  for (const type of ["MODIFIED", "ADDED", "DELETED"] as const) {
    const before = `{"type":"${type}","object":`;
    if (line.startsWith(before) && line.endsWith("}}")) return [type, line.slice(before.length, -1)];
  }
  return undefined;
}
