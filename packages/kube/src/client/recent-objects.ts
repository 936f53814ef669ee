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

/**
 * Characters of objects that were read a moment ago: of those that come together. What is kept for longer outlives two
 * collections of what is young, with the pieces of the stream that it came in, and goes only with all that is old.
 */
const recentLength = 200_000;

/**
 * A write's answer and the watches tell the same object in the same words, at nearly the same time: it is parsed once, and
 * they share it, which nobody may change.
 */
export function sharingReader(): ObjectReader {
  const recent = new RecentObjects();
  const read = (text: string): unknown => {
    const known = recent.get(text);
    if (known) return known;
    const value = parseJson(text);
    if (isManifest(value)) recent.add(text, value);
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

/** By version: texts of this length, as keys, would each go into the engine's table of names. */
class RecentObjects {
  readonly #byVersion = new Map<number, { readonly text: string; readonly object: Manifest }>();
  #length = 0;

  get(text: string): Manifest | undefined {
    const known = this.#byVersion.get(versionIn(text));
    return known?.text === text ? known.object : undefined;
  }

  add(text: string, object: Manifest): void {
    const version = versionIn(text);
    this.#forget(version);
    this.#byVersion.set(version, { text, object });
    this.#length += text.length;
    for (const oldest of this.#byVersion.keys()) {
      if (this.#length <= recentLength) return;
      this.#forget(oldest);
    }
  }

  #forget(version: number): void {
    this.#length -= this.#byVersion.get(version)?.text.length ?? 0;
    this.#byVersion.delete(version);
  }
}

const beforeVersion = '"resourceVersion":"';

/** The first that the text names, nearly always the object's own; NaN where it is no number. */
function versionIn(text: string): number {
  const at = text.indexOf(beforeVersion) + beforeVersion.length;
  return Number.parseInt(text.slice(at, at + 16), 10);
}

/** As every API server writes them (apimachinery's metav1.WatchEvent); of anything else nothing is said. */
function partsOf(line: string): [type: "ADDED" | "MODIFIED" | "DELETED", text: string] | undefined {
  for (const type of ["MODIFIED", "ADDED", "DELETED"] as const) {
    const before = `{"type":"${type}","object":`;
    if (line.startsWith(before) && line.endsWith("}}")) return [type, line.slice(before.length, -1)];
  }
  return undefined;
}
