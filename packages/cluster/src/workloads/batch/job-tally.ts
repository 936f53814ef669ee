import { keyOf } from "../controller.ts";
import type { Pod } from "../kinds.ts";
import { isDeleting } from "../owners.ts";
import { isActive, isReady } from "../pod-readiness.ts";
import { indexOf, readIndexes } from "./indexes.ts";
import { matchFailure } from "./job-policies.ts";
import type { Job } from "./kinds.ts";

/** How a Job's Pods stand, those counted earlier and gone since included. */
export interface Tally {
  active: readonly Pod[];
  terminating: number;
  ready: number;
  succeeded: number;
  failed: number;
  succeededIndexes: ReadonlySet<number>;
  failedIndexes: ReadonlySet<number>;
  /** When the last Pod failed, and how many did since one succeeded: they decide how long to wait. */
  lastFailureMs: number;
  failuresInARow: number;
  /** Why a Pod's failure is the Job's, by spec.podFailurePolicy. */
  fatal: string | undefined;
}

/** Ended Pods seen per Job, so that deleting one does not make the Job run it again. */
export class JobTallies {
  readonly #seen = new Map<string, { uid: string; succeeded: Set<string>; failed: Set<string> }>();

  take(job: Job, pods: readonly Pod[]): Tally {
    const seen = this.#seenOf(job);
    const known = new Set(pods.map(({ metadata }) => metadata.uid ?? ""));
    const restored = seen.succeeded.size + seen.failed.size === 0;
    const gone = { succeeded: 0, failed: 0 };
    for (const pod of pods) {
      const set = outcome(pod);
      if (set && !isIgnored(job, pod)) seen[set].add(pod.metadata.uid ?? "");
    }
    if (restored) {
      // A new process sees only what is left of the Pods that an earlier one counted.
      gone.succeeded = Math.max((job.status?.succeeded ?? 0) - count(seen.succeeded, known), 0);
      gone.failed = Math.max((job.status?.failed ?? 0) - count(seen.failed, known), 0);
      for (let at = 0; at < gone.succeeded; at++) seen.succeeded.add(`gone ${at}`);
      for (let at = 0; at < gone.failed; at++) seen.failed.add(`gone ${at}`);
    }
    const active = pods.filter(isActive);
    const { succeededIndexes, failedIndexes } = readOutcomes(job, pods);
    return {
      active,
      terminating: pods.filter((pod) => isDeleting(pod) && !outcome(pod)).length,
      ready: active.filter(isReady).length,
      succeeded: job.spec.completionMode === "Indexed" ? succeededIndexes.size : seen.succeeded.size,
      failed: seen.failed.size,
      succeededIndexes,
      failedIndexes,
      ...readFailures(pods),
      fatal: fatalFailure(job, pods),
    };
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }

  #seenOf(job: Job): { succeeded: Set<string>; failed: Set<string> } {
    const { uid = "" } = job.metadata;
    const known = this.#seen.get(keyOf(job));
    if (known?.uid === uid) return known;
    const seen = { uid, succeeded: new Set<string>(), failed: new Set<string>() };
    this.#seen.set(keyOf(job), seen);
    return seen;
  }
}

function outcome(pod: Pod): "succeeded" | "failed" | undefined {
  if (pod.status?.phase === "Succeeded") return "succeeded";
  return pod.status?.phase === "Failed" ? "failed" : undefined;
}

function isIgnored(job: Job, pod: Pod): boolean {
  return outcome(pod) === "failed" && matchFailure(job, pod)?.action === "Ignore";
}

function fatalFailure(job: Job, pods: readonly Pod[]): string | undefined {
  if (!job.spec.podFailurePolicy) return undefined;
  const matches = pods.filter((pod) => outcome(pod) === "failed").map((pod) => matchFailure(job, pod));
  return matches.find((match) => match?.action === "FailJob")?.message;
}

function count(seen: ReadonlySet<string>, among: ReadonlySet<string>): number {
  return [...seen].filter((uid) => among.has(uid)).length;
}

function readOutcomes(job: Job, pods: readonly Pod[]): Pick<Tally, "succeededIndexes" | "failedIndexes"> {
  const completions = job.spec.completions ?? 0;
  const succeededIndexes = readIndexes(job.status?.completedIndexes);
  const failures = new Map<number, number>();
  for (const pod of pods) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions) continue;
    if (outcome(pod) === "succeeded") succeededIndexes.add(index);
    if (outcome(pod) === "failed" && !isIgnored(job, pod))
      failures.set(index, (failures.get(index) ?? 0) + 1);
  }
  const failedIndexes = readIndexes(job.status?.failedIndexes);
  const limit = job.spec.backoffLimitPerIndex;
  if (limit !== undefined) {
    for (const pod of pods) {
      const index = indexOf(pod);
      const fails = outcome(pod) === "failed" && matchFailure(job, pod)?.action === "FailIndex";
      if (fails && index !== undefined) failedIndexes.add(index);
    }
    for (const [index, failed] of failures)
      if (failed > limit && !succeededIndexes.has(index)) failedIndexes.add(index);
  }
  return { succeededIndexes, failedIndexes };
}

function readFailures(pods: readonly Pod[]): Pick<Tally, "lastFailureMs" | "failuresInARow"> {
  const endings = (wanted: "succeeded" | "failed") =>
    pods.filter((pod) => outcome(pod) === wanted).map(endedAtMs);
  const failures = endings("failed");
  const lastSuccessMs = Math.max(0, ...endings("succeeded"));
  return {
    lastFailureMs: Math.max(0, ...failures),
    failuresInARow: failures.filter((ms) => ms >= lastSuccessMs).length,
  };
}

function endedAtMs({ status }: Pod): number {
  const times = (status?.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state.terminated?.finishedAt ?? ""),
  );
  return Math.max(0, ...times.filter((ms) => !Number.isNaN(ms)));
}
