import type { GeneralSettings } from "@capstan/kube";

/**
 * How much of a comparison is asked for (Argo CD: controller/appcontroller.go CompareWith): 1 against the last revision, 2 resolves the
 * branch through the revision cache, 3 asks the remote.
 */
export type CompareLevel = 1 | 2 | 3;

export interface DueCompare {
  level: CompareLevel;
  hard: boolean;
  reason: string;
  /** The interval has passed: an answer of the remote that it has seen already does not count. */
  poll?: boolean;
  /** By position, in place of what each source follows: it is compared with what it was once. */
  revisions?: readonly (string | undefined)[];
  /** A newer commit is all that is said to be new: what was compared holds where it gives the same manifests. */
  learns?: boolean;
  /** Of whoever learned of it first: the trace that goes on with it, as W3C's traceparent. */
  followed?: string | undefined;
}

export interface ComparisonRequest {
  level: CompareLevel;
  /** Hard refresh: nothing rendered before counts. */
  hard?: boolean;
  /** As DueCompare has it. */
  learns?: boolean;
  followed?: string | undefined;
  /** Nothing is said to be new but what lives. */
  ofLive?: boolean;
  reason: string;
  /** Before what is looked at for its own sake. */
  goesFirst?: boolean;
  /** Not before. */
  atMs: number;
}

type Intervals = Pick<GeneralSettings, "reconcileMs" | "reconcileJitterMs" | "hardReconcileMs">;

/** However short the interval of the settings is. */
const leastIntervalMs = 1_000;

/**
 * When one application is compared next, and how. Everything that wants a comparison says so here, and the
 * application's timer is set to `nextAt` after each run: so none can be forgotten. What is taken is not due any
 * more; a run that fails asks again.
 */
export class ComparisonSchedule {
  /** Of those that differ in no more than reason and time the earliest; a few. */
  #asked: readonly ComparisonRequest[] = [];
  #resync: { at: number; longestMs: number } | undefined;
  #hard: { at: number; longestMs: number } | undefined;
  #secretsAt: number | undefined;
  #wakeAt: number | undefined;

  ask(request: ComparisonRequest): void {
    const known = this.#asked.find((one) => isSameKind(one, request));
    const earlier = !known || request.atMs < known.atMs ? request : known;
    const goesFirst = request.goesFirst === true || known?.goesFirst === true;
    const asked = { ...earlier, goesFirst };
    this.#asked = known ? this.#asked.map((one) => (one === known ? asked : one)) : [...this.#asked, asked];
  }

  /** Whether something that is asked for goes first. */
  get goesFirst(): boolean {
    return this.#asked.some(({ goesFirst }) => goesFirst === true);
  }

  /** What lives is compared from now on: that answers all that asked for no more. */
  comparesLive(now: number): void {
    this.#asked = this.#asked.filter(({ ofLive = false, atMs }) => !ofLive || atMs > now);
  }

  /** Its secrets are asked for again at this time; undefined: it holds none. */
  renewSecretsAt(atMs: number | undefined): void {
    this.#secretsAt = atMs;
  }

  /** Looks at the application at this time although no comparison is due: for what it waits for. */
  wakeAt(atMs: number | undefined): void {
    this.#wakeAt = atMs;
  }

  /** All that is due, as one comparison of the highest level; undefined when nothing is. */
  take(now: number, also: readonly DueCompare[] = []): DueCompare | undefined {
    const due: DueCompare[] = [...also];
    for (const { level, hard = false, learns = false, followed, reason, atMs } of this.#asked)
      if (atMs <= now) due.push({ level, hard, reason, ...(learns ? { learns, followed } : {}) });
    this.#asked = this.#asked.filter(({ atMs }) => atMs > now);
    if (isDue(this.#hard, now)) due.push({ level: 2, hard: true, reason: "hard resync" });
    if (isDue(this.#resync, now)) {
      this.#resync = undefined;
      due.push({ level: 2, hard: false, reason: "resync", poll: true });
    }
    if (this.#secretsAt !== undefined && this.#secretsAt <= now) {
      this.#secretsAt = undefined;
      due.push({ level: 2, hard: false, reason: "its secrets are asked for again" });
    }
    return due.length === 0 ? undefined : due.reduce(higher);
  }

  /**
   * A comparison begins. An interval and a part of the jitter after the last one that was due by itself, the
   * repository is looked at again: others, which may be content with an answer that is kept, do not put it off.
   */
  begun({ hard }: DueCompare, now: number, intervals: Intervals): void {
    const { reconcileMs, reconcileJitterMs, hardReconcileMs } = intervals;
    const resync = reconcileMs === undefined ? undefined : after(now, reconcileMs, reconcileJitterMs);
    if (resync?.longestMs !== this.#resync?.longestMs) this.#resync = resync;
    const next = hardReconcileMs === undefined ? undefined : after(now, hardReconcileMs, 0);
    if (hard || next?.longestMs !== this.#hard?.longestMs) this.#hard = next;
  }

  /** Something wants a comparison, now or later. */
  get isAsked(): boolean {
    return this.#asked.length > 0;
  }

  nextAt(now: number): number | undefined {
    const times = [
      isDue(this.#resync, now) ? now : this.#resync?.at,
      isDue(this.#hard, now) ? now : this.#hard?.at,
      this.#secretsAt,
      this.#wakeAt,
      ...this.#asked.map(({ atMs }) => atMs),
    ].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Nothing is due any more. */
  clear(): void {
    this.#asked = [];
    this.#resync = undefined;
    this.#hard = undefined;
    this.#secretsAt = undefined;
    this.#wakeAt = undefined;
  }
}

function isSameKind(one: ComparisonRequest, other: ComparisonRequest): boolean {
  return (
    one.level === other.level &&
    (one.hard === true) === (other.hard === true) &&
    (one.learns === true) === (other.learns === true) &&
    (one.ofLive === true) === (other.ofLive === true)
  );
}

function after(now: number, intervalMs: number, jitterMs: number): { at: number; longestMs: number } {
  const spanMs = Math.max(leastIntervalMs, intervalMs);
  return { at: now + spanMs + Math.random() * jitterMs, longestMs: spanMs + jitterMs };
}

/** Also when it is farther away than it can be: then the clock was set back. */
function isDue(time: { at: number; longestMs: number } | undefined, now: number): boolean {
  return time !== undefined && (time.at <= now || time.at > now + time.longestMs);
}

function higher(one: DueCompare, other: DueCompare): DueCompare {
  const first = other.level > one.level ? other : one;
  const { reason } = other.hard && !one.hard ? other : first;
  const poll = one.poll || other.poll ? { poll: true } : {};
  const learns = one.learns && other.learns ? { learns: true } : {};
  return { level: first.level, hard: one.hard || other.hard, reason, ...poll, ...learns };
}
