import { hash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { CapstanError, type Failure } from "@capstan/model";
import type { ManifestRequest, RevisionRequest } from "@capstan/wire";
import type { RepoEnd } from "./repo-process.ts";

/** What is known of a source that ended a repo server. */
interface Mark {
  /** Commit or version that did. */
  readonly revision: string;
  readonly failure: Failure;
  readonly until: number;
}

/** So long what ended a process is not tried again, unless its repository has changed. */
const markedMs = 15 * 60_000;
/** Who was under way so often when a process ended is rendered by itself for a while. */
const oftenSuspected = 2;
const suspectedMs = 60 * 60_000;
const maxKept = 10_000;

/** Sources that ended a repo server, or were under way when one ended. */
export class Suspects {
  readonly #clock: Clock;
  readonly #marks = new BoundedMap<Mark>(maxKept);
  readonly #suspected = new BoundedMap<{ times: number; until: number }>(maxKept);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing has ended a repo server, as nearly always: no key need be made. */
  get areNone(): boolean {
    return this.#marks.size === 0 && this.#suspected.size === 0;
  }

  /** Whether it is to be rendered where it can end nobody else's. */
  isKept(key: string): boolean {
    if (this.#marks.get(key)) return true;
    const { times = 0, until = 0 } = this.#suspected.get(key) ?? {};
    return times >= oftenSuspected && this.#clock.now() < until;
  }

  suspect(key: string): void {
    const now = this.#clock.now();
    const { times = 0, until = 0 } = this.#suspected.get(key) ?? {};
    this.#suspected.set(key, { times: now < until ? times + 1 : 1, until: now + suspectedMs });
  }

  /** It ended a process that had nothing else to do. */
  convict(key: string, revision: string, failure: Failure): CapstanError {
    const until = this.#clock.now() + markedMs;
    this.#marks.set(key, { revision, failure, until });
    return new CapstanError(failure);
  }

  acquit(key: string): void {
    this.#marks.delete(key);
  }

  /** Fails with what happened at this very revision a short time ago. */
  throwIfConvicted(key: string, revision: string): void {
    const mark = this.#marks.get(key);
    if (!mark || mark.revision !== revision || this.#clock.now() >= mark.until) return;
    throw new CapstanError({ ...mark.failure, cachedUntil: new Date(mark.until).toISOString() });
  }
}

/** Equal for requests that make a process do the same work, whichever application asks and at whatever revision. */
export function suspectKey(request: RevisionRequest): string {
  const { repository, source } = request;
  return hash("sha256", canonicalJson([repository.url, { ...source, targetRevision: "" }]), "hex");
}

export function convictedOf(
  { cause, limit = "the limit" }: RepoEnd,
  request: Partial<ManifestRequest>,
): Failure {
  const what =
    request.appName === undefined ? "what was asked of the repository" : `application ${request.appName}`;
  const problem =
    cause === "memory"
      ? `rendering it takes more memory than the repo server may have (${limit}). Make it smaller, or raise --repo-server-memory-limit`
      : cause === "stall"
        ? `rendering it keeps the repo server busy without an end (more than ${limit} of CPU time). Make it smaller or split it`
        : "rendering it ends the repo server's process; the log says how";
  return { code: "FAILED_PRECONDITION", what, problem };
}
