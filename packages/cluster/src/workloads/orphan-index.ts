import { ValuesByKey } from "@capstan/flow";
import { selectsLabels } from "@capstan/formats";
import type { KubeObject, Objects } from "../types.ts";
import { keyOf } from "./controller.ts";
import type { LabelSelector } from "./kinds.ts";
import { controllerOf } from "./owners.ts";

/** Objects without a controlling owner, by resource and namespace: what a controller may adopt. */
export class OrphanIndex {
  readonly #objects: Objects;
  readonly #orphans = new ValuesByKey<string>();

  constructor(objects: Objects, types: readonly string[]) {
    this.#objects = objects;
    for (const type of types) {
      for (const object of objects.list(type)) this.#put(type, object);
      objects.subscribe(type, ({ type: change, object }) => {
        if (change === "DELETED") this.#remove(type, object);
        else this.#put(type, object);
      });
    }
  }

  matching(type: string, namespace: string, selector: LabelSelector): KubeObject[] {
    const found: KubeObject[] = [];
    for (const key of this.#orphans.of(`${type} ${namespace}`)) {
      const object = this.#objects.get(type, namespace, key.slice(namespace.length + 1));
      if (object && !object.metadata.deletionTimestamp && selectsLabels(selector, object.metadata.labels))
        found.push(object);
    }
    return found;
  }

  #put(type: string, object: KubeObject): void {
    if (controllerOf(object)) this.#remove(type, object);
    else this.#orphans.add(placeOf(type, object), keyOf(object));
  }

  #remove(type: string, object: KubeObject): void {
    this.#orphans.remove(placeOf(type, object), keyOf(object));
  }
}

function placeOf(type: string, { metadata }: KubeObject): string {
  return `${type} ${metadata.namespace ?? ""}`;
}
