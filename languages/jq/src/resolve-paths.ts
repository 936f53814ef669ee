import type { FieldPath } from "./delete-paths.ts";

/** The fields of a value, each once. Limited, since a few parts of a long list are many. */
export class ResolvedPaths {
  readonly #value: unknown;
  readonly #most: number;
  readonly #found = new Map<string, FieldPath>();

  constructor(value: unknown, most: number) {
    this.#value = value;
    this.#most = most;
  }

  get all(): FieldPath[] {
    return [...this.#found.values()];
  }

  /** False where there are more than may be. `path`: as jq's path() gives it; what is not there is passed over. */
  add(path: readonly unknown[]): boolean {
    return this.#walk(this.#value, { path, walked: [] });
  }

  #walk(value: unknown, { path, walked }: { path: readonly unknown[]; walked: FieldPath }): boolean {
    if (path.length === 0) {
      this.#found.set(JSON.stringify(walked), walked);
      return this.#found.size <= this.#most;
    }
    const [step, ...rest] = path;
    if (Array.isArray(value)) {
      const places = placesOf(value.length, path);
      return places.every(({ at, below }) => this.#walk(value[at], { path: below, walked: [...walked, at] }));
    }
    if (typeof step !== "string" || !isObject(value) || !Object.hasOwn(value, step)) return true;
    return this.#walk(value[step], { path: rest, walked: [...walked, step] });
  }
}

interface Place {
  at: number;
  below: readonly unknown[];
}

/** A place counts from the end where it is negative, and from the beginning of a part where the step before was one. */
function placesOf(length: number, path: readonly unknown[]): Place[] {
  let [start, end, taken] = [0, length, 0];
  for (const step of path) {
    taken += 1;
    if (typeof step === "number") {
      const at = Math.floor(step) + (step < 0 ? end : start);
      return at >= start && at < end ? [{ at, below: path.slice(taken) }] : [];
    }
    if (!isObject(step)) return [];
    [start, end] = partOf(step, [start, end]);
  }
  return Array.from({ length: Math.max(end - start, 0) }, (_, index) => ({ at: start + index, below: [] }));
}

type Range = [start: number, end: number];

function partOf(step: { readonly [name: string]: unknown }, [start, end]: Range): Range {
  const inside = (at: number): number => Math.min(Math.max(at < 0 ? at + end : at + start, start), end);
  const from = typeof step.start === "number" ? inside(Math.floor(step.start)) : start;
  const to = typeof step.end === "number" ? inside(Math.ceil(step.end)) : end;
  return [from, to];
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
