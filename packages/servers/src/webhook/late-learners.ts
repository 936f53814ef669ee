import type { Clock } from "@capstan/flow";
import { type Application, annotationKeys } from "@capstan/model";
import { followed } from "./refresh-applications.ts";

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
  /** Those that were asked, as they were before that. */
  readonly asked: readonly Application[];
  /** The commit that was pushed; undefined: the sender did not say, and it is what those who were asked have found. */
  readonly revision: string | undefined;
}

/** Between two looks at all of them: at first, and where many learn of it. */
const lookMs = { first: 250, longest: 1_000 };
/** While one after another learns of it, the others are given time. */
const patienceMs = 2_000;
/** While one that was asked is at it still, which for a slow remote or on a busy machine takes seconds. */
const answerMs = 15_000;
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
    const isPatient = this.#followed.size < maxFollowed;
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
    const begunAt = clock.now();
    let behind = learners.apps;
    let quietSince = begunAt;
    let pauseMs = lookMs.first;
    do {
      await clock.sleep(pauseMs, signal);
      pauseMs = Math.min(lookMs.longest, pauseMs * 2);
      const now = Array.from(this.#needs.applications());
      const still = behindOf({ ...learners, apps: behind }, now);
      const isAwaited = isAtIt(learners.asked, now) && clock.now() - begunAt < answerMs;
      if (still.length < behind.length || isAwaited) quietSince = clock.now();
      behind = still;
    } while (isPatient && behind.length > 0 && clock.now() - quietSince < patienceMs);
    await refresh(behind, signal);
  }
}

function behindOf({ apps, asked, revision }: Learners, now: readonly Application[]): Application[] {
  const knows =
    revision === undefined ? knowingAnswers(asked, now) : (app: Application) => isAt(app, revision);
  // Of thousands most have learned of it by then: only the others are looked for by their names.
  const names = new Set(apps.map(nameOf));
  return now.filter((app) => !knows(app) && names.has(nameOf(app)));
}

/** Whether one that was asked has not answered, whatever the answer. */
function isAtIt(asked: readonly Application[], now: readonly Application[]): boolean {
  const before = new Map(asked.map((app) => [nameOf(app), app]));
  return now.some((app) => {
    const one = before.get(nameOf(app));
    return one !== undefined && !isAnswer(app, one);
  });
}

/** To be asked is a change already; an answer takes the question away. */
function isAnswer({ metadata }: Application, before: Application): boolean {
  const isChanged = metadata.resourceVersion !== before.metadata.resourceVersion;
  return isChanged && metadata.annotations?.[annotationKeys.refresh] === undefined;
}

/** Whether an application is at what was found by the one that was asked, once that one has answered. */
function knowingAnswers(
  asked: readonly Application[],
  now: readonly Application[],
): (app: Application) => boolean {
  const found = new Map<string, string>();
  const before = new Map(asked.map((app) => [nameOf(app), app]));
  for (const app of now) {
    const one = before.get(nameOf(app));
    if (one && hasAnswered(app, one)) found.set(followed(app), revisionsOf(app).join());
  }
  return (app) => found.get(followed(app)) === revisionsOf(app).join();
}

/** What failed tells nothing. */
function hasAnswered(app: Application, before: Application): boolean {
  return isAnswer(app, before) && app.status?.sync?.status !== "Unknown";
}

function nameOf({ metadata: { name, namespace } }: Application): string {
  return `${namespace}/${name}`;
}

function isAt({ status }: Application, revision: string): boolean {
  const { sync } = status ?? {};
  return sync?.revision === revision || (sync?.revisions ?? []).includes(revision);
}

function revisionsOf({ status }: Application): (string | undefined)[] {
  const { revision, revisions = [] } = status?.sync ?? {};
  return revision === undefined ? [...revisions] : [revision, ...revisions];
}
