import type { Objects } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";

const addresses = 65_534;

/** Addresses of 10.244.0.0/16, each given to one Pod until it is gone. */
export class PodAddresses {
  readonly #taken = new Map<string, string>();
  readonly #uses = new Set<string>();
  #next = 1;

  constructor(objects: Objects) {
    for (const pod of objects.list<Pod>(resourceTypes.pods)) {
      const { uid = "" } = pod.metadata;
      const ip = pod.status?.podIP;
      if (ip?.startsWith("10.244.")) this.#take(uid, ip);
    }
  }

  of(uid: string): string {
    const known = this.#taken.get(uid);
    if (known !== undefined) return known;
    let ip = addressAt(this.#next);
    for (let tried = 0; tried < addresses && this.#uses.has(ip); tried++) {
      this.#next = (this.#next % addresses) + 1;
      ip = addressAt(this.#next);
    }
    this.#take(uid, ip);
    return ip;
  }

  release(uid: string): void {
    const ip = this.#taken.get(uid);
    this.#taken.delete(uid);
    if (ip !== undefined) this.#uses.delete(ip);
  }

  #take(uid: string, ip: string): void {
    this.#taken.set(uid, ip);
    this.#uses.add(ip);
  }
}

function addressAt(number: number): string {
  return `10.244.${number >> 8}.${number & 255}`;
}
