import { ValuesByKey } from "@capstan/flow";
import { selectsLabels } from "@capstan/formats";
import type { KubeObject, Objects } from "../types.ts";
import { keyOf } from "./controller.ts";
import type { LabelSelector } from "./kinds.ts";

/**
 * Objects that select others by labels (Services, PodDisruptionBudgets): which of them select these labels?
 * Each is filed under one of its label pairs, so that a Pod asks only for its own.
 */
export class SelectorIndex {
  readonly #filed = new Map<string, { slot: string; selector: LabelSelector }>();
  readonly #slots = new ValuesByKey<string>();
  readonly #selectorOf: (object: KubeObject) => LabelSelector | undefined;

  constructor(needs: {
    objects: Objects;
    type: string;
    selectorOf(object: KubeObject): LabelSelector | undefined;
  }) {
    this.#selectorOf = needs.selectorOf;
    for (const object of needs.objects.list(needs.type)) this.#put(object);
    needs.objects.subscribe(needs.type, ({ type, object }) => {
      if (type === "DELETED") this.#remove(keyOf(object));
      else this.#put(object);
    });
  }

  /** Keys of the objects whose selector matches. */
  selecting(namespace: string, labels: Readonly<Record<string, string>> | undefined): string[] {
    const slots = [`${namespace}/`, ...Object.entries(labels ?? {}).map((pair) => slotOf(namespace, pair))];
    const keys: string[] = [];
    for (const slot of slots) {
      for (const key of this.#slots.of(slot)) {
        if (selectsLabels(this.#filed.get(key)?.selector, labels)) keys.push(key);
      }
    }
    return keys;
  }

  #put(object: KubeObject): void {
    const key = keyOf(object);
    this.#remove(key);
    const selector = this.#selectorOf(object);
    if (!selector) return;
    const slot = slotOf(object.metadata.namespace ?? "", Object.entries(selector.matchLabels ?? {})[0]);
    this.#filed.set(key, { slot, selector });
    this.#slots.add(slot, key);
  }

  #remove(key: string): void {
    const filed = this.#filed.get(key);
    if (!filed) return;
    this.#filed.delete(key);
    this.#slots.remove(filed.slot, key);
  }
}

function slotOf(namespace: string, pair: [string, string] | undefined): string {
  return pair ? `${namespace}/${pair[0]}=${pair[1]}` : `${namespace}/`;
}
