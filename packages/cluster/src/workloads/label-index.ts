import { ValuesByKey } from "@capstan/flow";
import { type Labels, selectsLabels } from "@capstan/formats";
import type { KubeObject, Objects } from "../types.ts";
import { keyOf } from "./controller.ts";
import type { LabelSelector } from "./kinds.ts";

/** Objects of one resource by namespace and label, so that a selector costs what it selects. */
export class LabelIndex {
  readonly #objects: Objects;
  readonly #type: string;
  readonly #pairsOf = new Map<string, readonly string[]>();
  readonly #keysWith = new ValuesByKey<string>();

  constructor(objects: Objects, type: string) {
    this.#objects = objects;
    this.#type = type;
    for (const object of objects.list(type)) this.#put(object);
    objects.subscribe(type, ({ type: change, object }) => {
      if (change === "DELETED") this.#remove(keyOf(object));
      else this.#put(object);
    });
  }

  select<T extends KubeObject>(namespace: string, selector: LabelSelector): T[] {
    const found: T[] = [];
    for (const object of this.#candidates<T>(namespace, selector.matchLabels ?? {})) {
      if (selectsLabels(selector, object.metadata.labels)) found.push(object);
    }
    return found;
  }

  *#candidates<T extends KubeObject>(namespace: string, labels: Labels): Iterable<T> {
    let smallest: { pair: string; count: number } | undefined;
    for (const pair of pairs(namespace, labels)) {
      const count = this.#keysWith.countOf(pair);
      if (count === 0) return;
      if (!smallest || count < smallest.count) smallest = { pair, count };
    }
    if (!smallest) {
      yield* this.#objects.list<T>(this.#type, namespace);
      return;
    }
    for (const key of this.#keysWith.of(smallest.pair)) {
      const object = this.#objects.get<T>(this.#type, namespace, key.slice(namespace.length + 1));
      if (object) yield object;
    }
  }

  #put(object: KubeObject): void {
    const key = keyOf(object);
    const next = pairs(object.metadata.namespace ?? "", object.metadata.labels ?? {});
    const known = this.#pairsOf.get(key);
    if (known && known.length === next.length && known.every((pair, at) => pair === next[at])) return;
    this.#remove(key);
    this.#pairsOf.set(key, next);
    for (const pair of next) this.#keysWith.add(pair, key);
  }

  #remove(key: string): void {
    for (const pair of this.#pairsOf.get(key) ?? []) this.#keysWith.remove(pair, key);
    this.#pairsOf.delete(key);
  }
}

function pairs(namespace: string, labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => `${namespace}/${key}=${value}`);
}
