import { sizeOf, type TreeObject } from "./tree-object.ts";

/** Objects of earlier runs, within a number of bytes; what was not used for longest goes first. */
export class ObjectStore {
  readonly #limitBytes: number;
  readonly #objects = new Map<string, TreeObject>();
  readonly #coming = new Map<string, Promise<TreeObject>>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): TreeObject | undefined {
    const object = this.#objects.get(key);
    if (object === undefined) return undefined;
    this.#objects.delete(key);
    this.#objects.set(key, object);
    return object;
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
    if (this.#objects.has(key) || size > this.#limitBytes / 4) return;
    this.#objects.set(key, object);
    this.#bytes += size;
    for (const [oldest, dropped] of this.#objects) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#objects.delete(oldest);
      this.#bytes -= sizeOf(dropped);
    }
  }
}
