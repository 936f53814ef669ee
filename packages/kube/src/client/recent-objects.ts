import { parseJson } from "@capstan/formats";
import { isManifest, type Manifest } from "@capstan/model";
import { readEvent, type WatchEvent } from "./watch-events.ts";

/** Reads what a cluster tells of its objects. */
export interface ObjectReader {
  /** A line of a watch. */
  event(line: string): WatchEvent;
  /** The answer to a write that was done. */
  answer(text: string): unknown;
}

export const plainReader: ObjectReader = { event: readEvent, answer: parseJson };

/** Characters of objects that were read a moment ago. */
const recentLength = 1_000_000;

/**
 * A write's answer and the watches tell the same object in the same words, at nearly the same time: it is parsed once, and
 * they share it, which nobody may change. Not for the answer to a dry run: it may have the version of what is there.
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

interface Recent {
  readonly object: Manifest;
  readonly length: number;
  readonly sample: number;
}

/**
 * By version, of which a cluster has one text for each object. That text is not kept: it would hold the whole piece of the
 * stream that it came in, for longer than what is young lives, and such pieces were most of what is collected with all
 * that is old. Whether a text is that of an object is told from its version, its uid, its length and some characters.
 */
class RecentObjects {
  readonly #byVersion = new Map<number, Recent>();
  #length = 0;

  get(text: string): Manifest | undefined {
    const known = this.#byVersion.get(versionIn(text));
    if (known?.length !== text.length || known.sample !== sampleOf(text)) return undefined;
    return text.includes(`"uid":"${known.object.metadata.uid}"`) ? known.object : undefined;
  }

  add(text: string, object: Manifest): void {
    const version = Number(object.metadata.resourceVersion);
    if (object.metadata.uid === undefined || version !== versionIn(text)) return;
    this.#forget(version);
    this.#byVersion.set(version, { object, length: text.length, sample: sampleOf(text) });
    this.#length += text.length;
    for (const oldest of this.#byVersion.keys()) {
      if (this.#length <= recentLength) return;
      this.#forget(oldest);
    }
  }

  #forget(version: number): void {
    this.#length -= this.#byVersion.get(version)?.length ?? 0;
    this.#byVersion.delete(version);
  }
}

const beforeVersion = '"resourceVersion":"';

/** The first that the text names, NaN where it is no number: nearly always the object's own. */
function versionIn(text: string): number {
  const at = text.indexOf(beforeVersion) + beforeVersion.length;
  return Number.parseInt(text.slice(at, at + 16), 10);
}

const sampled = 100;

function sampleOf(text: string): number {
  const step = Math.ceil(text.length / sampled);
  let sample = 0;
  for (let at = 0; at < text.length; at += step) sample = (Math.imul(sample, 31) + text.charCodeAt(at)) | 0;
  return sample;
}

/** As every API server writes them (apimachinery's metav1.WatchEvent); of anything else nothing is said. */
function partsOf(line: string): [type: "ADDED" | "MODIFIED" | "DELETED", text: string] | undefined {
  for (const type of ["MODIFIED", "ADDED", "DELETED"] as const) {
    const before = `{"type":"${type}","object":`;
    if (line.startsWith(before) && line.endsWith("}}")) return [type, line.slice(before.length, -1)];
  }
  return undefined;
}
