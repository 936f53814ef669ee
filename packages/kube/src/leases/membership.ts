import { byRendezvous, type Clock, Listeners } from "@capstan/flow";
import { isAlreadyExists, isNotFound } from "../client/kube-error.ts";
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
  /** Of all members alike: what they share out. */
  readonly group: string;
  /** Of this process, and no other's; a part of a name. */
  readonly identity: string;
  readonly clock: Clock;
  /** Milliseconds that only grow, whatever is done to the clock. */
  readonly monotonic: () => number;
  readonly log: KubeLog;
}

export const memberLabel = "capstan.dev/member-of";
/** Leases of those that ended without a word are removed after this time. */
const forgottenMs = 600_000;

/** Of a Lease's name. */
const longestIdentity = 253;

/**
 * Processes that share work, each with a Lease of its own. Who has which key is found by rendezvous hashing over those
 * that renew theirs; for a few seconds two may believe that a key is theirs, so what may not be done twice needs a mark
 * of its own where it is done. A process that did not renew its Lease in time comes back as another member: what it had
 * is followed as if it had been killed, by itself too.
 */
export class Membership implements AsyncDisposable {
  readonly #input: Input;
  readonly #closing = new AbortController();
  readonly #listeners: Listeners<[]>;
  readonly #seen = new Map<string, { lease: Lease; at: number }>();
  #own: Lease | undefined;
  /** Of the member that this process is now. */
  #identity: string;
  #lapse = new AbortController();
  #lapses = 0;
  /** Begin of the last renewal after which the others were seen too. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #members: readonly string[] = [];
  /** Those that are surely gone, of the last members and of those that were asked for. */
  #gone = new Set<string>();
  /** Asked for since the last look. */
  readonly #asked = new Set<string>();
  #done: Promise<void> = Promise.resolve();

  private constructor(input: Input) {
    this.#input = input;
    this.#identity = input.identity;
    this.#listeners = new Listeners((error) =>
      input.log.warn({ error }, "what follows other members failed"),
    );
  }

  /** Resolves when it is a member and knows the others. */
  static async join(input: Input, signal: AbortSignal): Promise<Membership> {
    const membership = new Membership(input);
    for (;;) {
      try {
        await membership.#beat();
        break;
      } catch (error) {
        signal.throwIfAborted();
        input.log.warn({ error }, "the Lease of this process cannot be written");
        await input.clock.sleep(leaseTimes.renewMs, signal);
      }
    }
    membership.#done = membership.#keep();
    return membership;
  }

  get identity(): string {
    return this.#identity;
  }

  /** Aborted when this process may have been taken for gone under its present identity. */
  get signal(): AbortSignal {
    return this.#lapse.signal;
  }

  /** Whether nobody can have taken this process for gone. */
  get isCurrent(): boolean {
    const age = this.#input.monotonic() - this.#renewedAt;
    const isOver = this.#closing.signal.aborted || this.#lapse.signal.aborted;
    return !isOver && age < leaseTimes.durationMs - leaseTimes.marginMs;
  }

  owns(key: string): boolean {
    return this.isCurrent && byRendezvous(key, this.#members)[0] === this.identity;
  }

  /**
   * Whether another one may be at work: it was heard of lately, or it came after the last look and its Lease was not
   * looked for yet. What becomes of that is told to the listeners.
   */
  isLive(identity: string): boolean {
    if (identity.length > longestIdentity) return false;
    if (this.#members.includes(identity)) return true;
    this.#asked.add(identity);
    return !this.#gone.has(identity);
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** To be closed after all that works by it: others take over at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("stopped"));
    await this.#done;
    const { client, namespace } = this.#input;
    const ref = { ...leaseType, namespace, name: this.#name };
    const signal = AbortSignal.timeout(leaseTimes.marginMs);
    await client.delete(ref, { signal }).catch(() => undefined); // it is seen to be over
  }

  get #name(): string {
    return `${this.#input.group}-${this.identity}`;
  }

  async #keep(): Promise<void> {
    const { clock, log } = this.#input;
    const { signal } = this.#closing;
    let was = true;
    while (!signal.aborted) {
      await clock.sleep(leaseTimes.renewMs / 2, signal).catch(() => undefined); // it is closing
      if (signal.aborted) return;
      await this.#beat().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ error }, "the Lease of this process cannot be renewed");
      });
      if (this.#isLapsed) this.#lapse.abort(lapsed());
      if (this.isCurrent !== was) this.#listeners.tell();
      was = this.isCurrent;
    }
  }

  get #isLapsed(): boolean {
    return Number.isFinite(this.#renewedAt) && !this.isCurrent;
  }

  #comeBack(): void {
    const { log, identity } = this.#input;
    this.#lapse.abort(lapsed());
    this.#lapse = new AbortController();
    this.#lapses += 1;
    this.#identity = `${identity}-${this.#lapses + 1}`;
    this.#own = undefined;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    log.warn(
      { identity: this.#identity },
      "the Lease was not renewed in time: this process is another member now",
    );
  }

  async #beat(): Promise<void> {
    if (this.#isLapsed) this.#comeBack();
    const { clock, monotonic, group } = this.#input;
    const holder = this.#identity;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(leaseTimes.marginMs)]);
    const begun = monotonic();
    const holding = { holder, nowMs: clock.now(), signal };
    try {
      const labels = { [memberLabel]: group };
      this.#own = this.#own
        ? await takeLease(this.#input, this.#own, holding)
        : await createLease(this.#input, { ...holding, name: this.#name, labels });
    } catch (error) {
      this.#own = undefined;
      if (!isAlreadyExists(error)) throw error;
      const found = await this.#input.client.get(
        { ...leaseType, namespace: this.#input.namespace, name: this.#name },
        signal,
      );
      if (found) this.#own = readLease(found);
      throw error;
    }
    await this.#look(signal);
    this.#renewedAt = begun;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, namespace, group, monotonic } = this.#input;
    const labelSelector = `${memberLabel}=${group}`;
    const asked = [...this.#asked];
    const { items } = await client.list({ ...leaseType, namespace, labelSelector }, signal);
    const now = monotonic();
    const leases = items.map(readLease);
    for (const lease of leases) {
      const known = this.#seen.get(lease.name);
      if (known?.lease.renewTime !== lease.renewTime) this.#seen.set(lease.name, { lease, at: now });
    }
    const ages = leases.map((lease) => ({ lease, age: now - (this.#seen.get(lease.name)?.at ?? now) }));
    const live = ages.filter(({ age }) => age <= leaseTimes.durationMs).map(({ lease }) => lease.holder);
    this.#forget(new Set(leases.map(({ name }) => name)));
    for (const { lease, age } of ages) if (age > forgottenMs) await this.#remove(lease, signal);
    const members = [...new Set(live)].sort();
    for (const identity of asked) this.#asked.delete(identity);
    const before = this.#gone;
    this.#gone = new Set([...asked, ...this.#members, ...leases.map(({ holder }) => holder)]);
    for (const identity of members) this.#gone.delete(identity);
    const isNews = asked.some((identity) => this.#gone.has(identity) && !before.has(identity));
    if (members.join() === this.#members.join() && !isNews) return;
    this.#members = members;
    this.#listeners.tell();
  }

  #forget(there: ReadonlySet<string>): void {
    for (const name of this.#seen.keys()) if (!there.has(name)) this.#seen.delete(name);
  }

  async #remove({ name, resourceVersion }: Lease, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#input;
    await client
      .delete({ ...leaseType, namespace, name }, { signal, resourceVersion })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

function lapsed(): Error {
  return new Error("the Lease was not renewed in time: others may go on with what this process had");
}
