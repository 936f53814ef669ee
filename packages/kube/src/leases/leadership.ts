import type { Clock } from "@capstan/flow";
import type { KubeLog } from "../kube-log.ts";
import {
  createLease,
  type Lease,
  type LeasePlace,
  leaseTimes,
  leaseType,
  readLease,
  takeLease,
} from "./lease.ts";

interface Input extends LeasePlace {
  /** Of the Lease. */
  readonly name: string;
  /** Of this process, and no other's. */
  readonly identity: string;
  readonly clock: Clock;
  /** Milliseconds that only grow, whatever is done to the clock. */
  readonly monotonic: () => number;
  readonly log: KubeLog;
  /** Begins what only one may do; `signal` is aborted when another one may begin. */
  lead(signal: AbortSignal): Promise<AsyncDisposable>;
}

/**
 * Does something in one of several processes at a time: in the one that holds the Lease. Where that ends, or is not heard
 * of for `leaseTimes.durationMs`, another one takes it. Goes on until it is closed; then the Lease is given back.
 */
export function leadInTurn(input: Input): AsyncDisposable {
  const closing = new AbortController();
  const done = new Leadership(input, closing.signal).run();
  return {
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("stopped"));
      await done;
    },
  };
}

class Leadership {
  readonly #input: Input;
  readonly #signal: AbortSignal;
  /** As it was seen last, and when it changed. */
  #seen: { lease: Lease; at: number } | undefined;
  #renewedAt = 0;

  constructor(input: Input, signal: AbortSignal) {
    this.#input = input;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { clock, log, name } = this.#input;
    while (!this.#signal.aborted) {
      try {
        if (await this.#hold(leaseTimes.marginMs)) await this.#leadWhileHeld();
      } catch (error) {
        if (!this.#signal.aborted) log.warn({ lease: name, error }, "a Lease cannot be read or taken");
      }
      await clock.sleep(leaseTimes.renewMs, this.#signal).catch(() => undefined); // it is closing
    }
  }

  /** Takes or renews it where it is nobody else's. */
  async #hold(limitMs: number): Promise<boolean> {
    const { client, namespace, name, identity, clock, monotonic } = this.#input;
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(limitMs)]);
    const begun = monotonic();
    const holding = { name, holder: identity, nowMs: clock.now(), signal };
    const found = await client.get({ ...leaseType, namespace, name }, signal);
    const lease = found && readLease(found);
    if (lease && !this.#isFree(lease)) return false;
    const taken = lease
      ? await takeLease(this.#input, lease, holding)
      : await createLease(this.#input, holding);
    this.#seen = { lease: taken, at: begun };
    this.#renewedAt = begun;
    return true;
  }

  #isFree(lease: Lease): boolean {
    const { identity, monotonic } = this.#input;
    if (lease.holder === "" || lease.holder === identity) return true;
    const isSame =
      this.#seen?.lease.renewTime === lease.renewTime && this.#seen.lease.holder === lease.holder;
    if (!isSame) this.#seen = { lease, at: monotonic() };
    return monotonic() - (this.#seen?.at ?? 0) > leaseTimes.durationMs;
  }

  async #leadWhileHeld(): Promise<void> {
    const { clock, monotonic, name, identity, log } = this.#input;
    const heldMs = leaseTimes.durationMs - leaseTimes.marginMs;
    const leftMs = () => Math.max(0, Math.ceil(this.#renewedAt + heldMs - monotonic()));
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#signal, lost.signal]);
    log.info({ lease: name, identity }, "leading");
    const leading = this.#input.lead(signal);
    leading.catch(() => lost.abort(new Error("what it leads did not begin")));
    try {
      while (!signal.aborted) {
        await clock.sleep(leaseTimes.renewMs / 2, signal).catch(() => undefined); // it ends
        if (signal.aborted) break;
        // However long the API server takes: it ends a margin before another one may begin.
        const isHeld = await this.#hold(Math.min(leaseTimes.marginMs, leftMs())).catch((error: unknown) => {
          log.warn({ lease: name, error }, "a Lease cannot be renewed");
          return leftMs() > 0;
        });
        if (!isHeld) lost.abort(new Error("the Lease is another's"));
      }
    } finally {
      const led = await leading.catch((error: unknown) => {
        if (!this.#signal.aborted) log.warn({ lease: name, error }, "what is led in turn broke off");
      });
      await led?.[Symbol.asyncDispose]();
      if (!lost.signal.aborted) await this.#giveBack();
    }
  }

  async #giveBack(): Promise<void> {
    const { clock, log, name } = this.#input;
    const known = this.#seen?.lease;
    if (!known) return;
    const signal = AbortSignal.timeout(leaseTimes.marginMs);
    await takeLease(this.#input, known, { holder: "", nowMs: clock.now(), signal }).catch((error: unknown) =>
      log.warn({ lease: name, error }, "a Lease was not given back: another one has it in a few seconds"),
    );
  }
}
