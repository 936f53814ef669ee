import { BoundedMap } from "@capstan/flow";
import { sizeOf, type TreeObject } from "./tree-object.ts";

/** Objects of earlier runs, within a number of bytes; what was not used for longest goes first. */
export class ObjectStore {
  readonly #limitBytes: number;
  readonly #objects: BoundedMap<TreeObject>;
  readonly #coming = new Map<string, Promise<TreeObject>>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
    this.#objects = new BoundedMap(limitBytes);
  }

  get bytes(): number {
    return this.#objects.weight;
  }

  get(key: string): TreeObject | undefined {
    return this.#objects.get(key);
  }

  /** What another run has asked for and not yet got; rejects where that run does not get it. */
  coming(key: string): Promise<TreeObject> | undefined {
    return this.#coming.get(key);
  }

  expect(key: string, object: Promise<TreeObject>): void {
    this.#coming.set(key, object);
    const forget = () => void this.#coming.delete(key);
    object.then(forget, forget);
  }

  put(key: string, object: TreeObject): void {
    const size = sizeOf(object);
    if (!this.#objects.has(key) && size <= this.#limitBytes / 4) this.#objects.set(key, object, size);
  }
}
