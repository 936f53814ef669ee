import type { Clock } from "@capstan/flow";
import type { Application } from "@capstan/model";

export interface LearnerNeeds {
  /** As they are now. */
  applications(): Iterable<Application>;
  /** Asks them to look themselves. */
  refresh(apps: readonly Application[], signal: AbortSignal): Promise<void>;
  clock: Clock;
  signal: AbortSignal;
}

/** Applications that are to learn of a push from another one that was asked to look. */
export interface Learners {
  readonly apps: readonly Application[];
  /** The commit that was pushed; undefined: the sender did not say, and nobody can tell who knows it. */
  readonly revision: string | undefined;
}

const lookMs = 250;
/** While one after another learns of it, the others are given time. */
const patienceMs = 2_000;
/** Pushes of more refs than these are not waited for. */
const maxFollowed = 100;

/** Whoever has not learned of a push after a while is asked to look itself: its last comparison may have failed. */
export class LateLearners {
  readonly #needs: LearnerNeeds;
  readonly #followed = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor(needs: LearnerNeeds) {
    this.#needs = needs;
  }

  /** In place of what was followed under this key: who learns of the newer push need not know of the older. */
  follow(key: string, learners: Learners): void {
    this.#followed.get(key)?.stop.abort(new Error("a newer push came"));
    this.#followed.delete(key);
    if (learners.apps.length === 0) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#needs.signal, stop.signal]);
    const isPatient = learners.revision !== undefined && this.#followed.size < maxFollowed;
    const ended = this.#untilAllKnow(learners, isPatient, signal)
      .catch(() => undefined) // it is no longer needed
      .then(() => {
        if (this.#followed.get(key)?.stop === stop) this.#followed.delete(key);
      });
    this.#followed.set(key, { stop, ended });
  }

  /** Settles when nobody is waited for. */
  async idle(): Promise<void> {
    while (this.#followed.size > 0)
      await Promise.all(Array.from(this.#followed.values(), ({ ended }) => ended));
  }

  async #untilAllKnow(learners: Learners, isPatient: boolean, signal: AbortSignal): Promise<void> {
    const { clock, refresh } = this.#needs;
    let behind = learners.apps;
    let quietSince = clock.now();
    do {
      await clock.sleep(lookMs, signal);
      const still = this.#behind(behind, learners.revision);
      if (still.length < behind.length) quietSince = clock.now();
      behind = still;
    } while (isPatient && behind.length > 0 && clock.now() - quietSince < patienceMs);
    await refresh(behind, signal);
  }

  #behind(apps: readonly Application[], revision: string | undefined): Application[] {
    const names = new Set(apps.map(nameOf));
    return [...this.#needs.applications()].filter(
      (app) => names.has(nameOf(app)) && !revisionsOf(app).includes(revision),
    );
  }
}

function nameOf({ metadata: { name, namespace } }: Application): string {
  return `${namespace}/${name}`;
}

function revisionsOf({ status }: Application): (string | undefined)[] {
  const { revision, revisions = [] } = status?.sync ?? {};
  return revision === undefined ? [...revisions] : [revision, ...revisions];
}
