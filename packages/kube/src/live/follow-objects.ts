import { type Clock, growingPause } from "@capstan/flow";
import type { Manifest } from "@capstan/model";
import type { KubeClient, ListQuery } from "../client/kube-client.ts";
import { isExpired, KubeError } from "../client/kube-error.ts";
import type { WatchEvent } from "../client/watch-events.ts";
import type { KubeLog } from "../kube-log.ts";

/** Receives a kind's objects: all of them first, then each change. */
export interface Follower {
  /** Everything there is at that version. Called again after the server has forgotten where we were. */
  replaceAll(objects: readonly Manifest[], resourceVersion: string): void;
  changed(object: Manifest): void;
  deleted(object: Manifest): void;
  /** Takes in an object of a list that is still being read, so that not all of it is in memory twice. */
  held?(object: Manifest): Manifest;
  /** Why the list or the watch failed (it will be tried again), or undefined once it works. */
  problem(text: string | undefined, error?: unknown): void;
  /** Whether such a failure is taken as it is: nothing is said of it, and it is seldom tried again. */
  accepts?(error: unknown, signal: AbortSignal): Promise<boolean>;
}

export interface FollowInput {
  client: KubeClient;
  query: ListQuery;
  follower: Follower;
  clock: Clock;
  log: KubeLog;
  signal: AbortSignal;
}

const firstBackoffMs = 250;
/**
 * A server that refuses goes on doing so; one that is away, or not ready, comes back, and then everything waits. One
 * that has just come back may refuse for a moment what it does not serve yet: its first refusal is as any first one.
 */
const maxBackoffMs = { refused: 30_000, away: 8_000 };
/** Rights that an operator has left out are seldom given later; as often as Argo CD renews its watches. */
const acceptedMs = 600_000;
const watchSeconds = 300;
/** A server ends a watch after `timeoutSeconds`; one that is still open later has hung. */
const hungMs = 30_000;

/** Lists a kind and follows its changes until the signal ends it; never rejects for another reason. */
export async function followObjects(input: FollowInput): Promise<void> {
  const { client, query, follower, clock, signal } = input;
  let resourceVersion: string | undefined;
  let failures = 0;
  let lastFailure: Failing | undefined;
  const tell = teller(input);
  /** What was tried last. */
  let failing: "list" | "watch" = "list";
  const works = (): void => {
    failures = 0;
    follower.problem(undefined);
    tell.works();
  };
  while (!signal.aborted) {
    try {
      if (resourceVersion === undefined) {
        // Where only the watch fails, a list in between does not mean that all is well.
        const wasList = failing === "list";
        failing = "list";
        const list = await client.list(query, signal, follower.held);
        guarded(input, () => follower.replaceAll(list.items, list.resourceVersion));
        resourceVersion = list.resourceVersion;
        if (wasList) works();
      }
      failing = "watch";
      resourceVersion = await watchFrom(input, resourceVersion, works);
    } catch (error) {
      if (signal.aborted) return;
      if (isExpired(error)) {
        resourceVersion = undefined;
        if (failures === 0) {
          failures += 1;
          continue;
        }
      }
      if (await isAccepted(input, error)) {
        resourceVersion = undefined;
        tell.works();
        await clock.sleep(acceptedMs * (0.5 + Math.random()), signal).catch(ignoreAbort(signal));
        continue;
      }
      const kind = failureKind(error);
      failures = kind === lastFailure ? failures + 1 : 1;
      lastFailure = kind;
      const waitMs = backoffMs(error, kind, failures);
      const problem = problemOf(error);
      follower.problem(problem, error);
      tell.fails(problem);
      // Who may list but not watch is shown what there is now and then.
      if (isRefused(error)) resourceVersion = undefined;
      await clock.sleep(waitMs, signal).catch(ignoreAbort(signal));
    }
  }
}

async function isAccepted({ follower, log, query, signal }: FollowInput, error: unknown): Promise<boolean> {
  try {
    return (await follower.accepts?.(error, signal)) === true;
  } catch (err) {
    if (!signal.aborted) log.warn({ kind: query.kind, err }, "it is not known whether a kind may be listed");
    return false;
  }
}

/** Returns the resource version to go on from once the server has ended the watch. */
async function watchFrom(input: FollowInput, from: string, alive: () => void): Promise<string> {
  const { client, query, follower, clock, signal } = input;
  const timeoutSeconds = Math.round(watchSeconds * (1 + Math.random()));
  const ended = new AbortController();
  const hung = new AbortController();
  const either = AbortSignal.any([signal, hung.signal]);
  void clock.sleep(timeoutSeconds * 1000 + hungMs, AbortSignal.any([signal, ended.signal])).then(
    () => hung.abort(new Error("the watch was open longer than it may be")),
    () => undefined,
  );
  let resourceVersion = from;
  try {
    for await (const event of client.watch({ ...query, resourceVersion, timeoutSeconds }, either)) {
      alive();
      guarded(input, () => take(event, follower));
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
    alive();
  } catch (error) {
    if (error instanceof KubeError && error.code === 410) throw error;
    // Events up to here were delivered: going on from the last one neither loses nor repeats any.
    if (resourceVersion !== from && !signal.aborted) return resourceVersion;
    throw error;
  } finally {
    ended.abort();
  }
  return resourceVersion;
}

function take({ type, object }: WatchEvent, follower: Follower): void {
  if (type === "DELETED") follower.deleted(object);
  else if (type !== "BOOKMARK") follower.changed(object);
}

/** What takes the objects in may fail over one of them; the watch goes on all the same. */
function guarded({ query, log }: FollowInput, work: () => void): void {
  try {
    work();
  } catch (err) {
    log.warn({ kind: query.kind, apiVersion: query.apiVersion, err }, "a change was not taken in");
  }
}

/** Says that a watch fails, once for each reason, and that it works again. */
function teller({ query: { kind, apiVersion }, log }: FollowInput) {
  let told: string | undefined;
  return {
    fails(problem: string): void {
      if (told === problem) return;
      told = problem;
      log.warn({ kind, apiVersion, problem }, "watch interrupted");
    },
    works(): void {
      if (told === undefined) return;
      told = undefined;
      log.info({ kind, apiVersion }, "watch works again");
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof KubeError && error.code === 403;
}

type Failing = keyof typeof maxBackoffMs;

function failureKind(error: unknown): Failing {
  if (!(error instanceof KubeError)) return "away";
  return error.code >= 500 || error.code === 429 ? "away" : "refused";
}

function backoffMs(error: unknown, kind: Failing, failures: number): number {
  const asked = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
  const grown = growingPause(failures, { firstMs: firstBackoffMs, longestMs: maxBackoffMs[kind] });
  return Math.max(asked, grown * (0.5 + Math.random()));
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function ignoreAbort(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}
