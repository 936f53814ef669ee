import { createHash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";
import type { SecretData } from "./backend.ts";

export interface Lease {
  data: SecretData;
  /** Milliseconds since 1970 after which it is asked for anew. */
  until: number;
}

const maxLeases = 1000;

/** Secrets that a store made for us and takes back at a time, so that each render does not make another. In memory alone. */
export class LeaseCache {
  readonly #leases = new BoundedMap<Lease>(maxLeases);
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(of: readonly string[]): Lease | undefined {
    const now = this.#clock.now();
    for (const [key, { until }] of this.#leases.entries()) if (until <= now) this.#leases.delete(key);
    return this.#leases.get(keyOf(of));
  }

  keep(of: readonly string[], lease: Lease): void {
    this.#leases.set(keyOf(of), lease);
  }
}

function keyOf(of: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(of)).digest("hex");
}
