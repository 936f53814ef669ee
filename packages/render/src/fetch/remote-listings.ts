import { BoundedMap, type Clock, growingPause, orAborted, SharedCalls } from "@capstan/flow";
import { isCapstanError, type Repository } from "@capstan/model";

import { cachedFailure } from "../cache/cached-failure.ts";
import { askRefs } from "./advertised-refs.ts";
import { askedSince, type Freshness } from "./freshness.ts";
import { type AccessFiles, credentialsDigest, openAccess } from "./git-access.ts";
import { isPassing, readGitFailure } from "./git-failure.ts";
import type { GitProgram } from "./git-program.ts";
import type { GitRedirects } from "./git-redirects.ts";
import type { HttpGit } from "./http-git.ts";
import { type RemoteRefs, readRemoteRefs } from "./remote-refs.ts";
import { repositoryKey } from "./repository-url.ts";
import { isRefusal, type UnreachableHosts } from "./unreachable-hosts.ts";

export interface RemoteListingsOptions {
  git: GitProgram;
  http: HttpGit;
  files: AccessFiles;
  redirects: GitRedirects;
  dataDir: string;
  clock: Clock;
  /** How long an answer holds: 3 minutes in Argo CD (--revision-cache-expiration). */
  keepMs: number;
  timeoutMs: number;
  hosts: Pick<UnreachableHosts, "ask">;
}

/** What a remote answered, and when it was asked. */
export interface Listing {
  readonly refs: RemoteRefs;
  readonly askedAt: number;
}

interface Kept {
  listing?: Listing;
  failure?: unknown;
  failures: number;
  askedAt: number;
  until: number;
}

/** An `ls-remote` that is under way. */
interface Asking {
  askedAt: number;
  ended: Promise<void>;
}

const attempts = 3;
const firstPauseMs = 250;
const maxFailureMs = 60_000;
/** Git has it even where the question before it has taken all the time. */
const leastMs = 1_000;

/** What remotes have: one question per repository and interval, shared by all who wait for it. */
export class RemoteListings {
  readonly #options: RemoteListingsOptions;
  readonly #kept = new BoundedMap<Kept>(10_000);
  readonly #asking = new SharedCalls<Listing>();
  readonly #under = new Map<string, Asking>();
  /** Counts up when a remote is said to have changed, so that an answer already under way is not taken for new. */
  readonly #changes = new BoundedMap<number>(10_000);

  constructor(options: RemoteListingsOptions) {
    this.#options = options;
  }

  /** A kept answer, or one that is just being asked for, counts when it is recent enough. */
  async list(repository: Repository, freshness: Freshness, signal: AbortSignal): Promise<Listing> {
    const key = `${repositoryKey(repository.url)} ${credentialsDigest(repository)}`;
    const { clock, keepMs } = this.#options;
    const since = askedSince(freshness, { now: clock.now(), keepMs });
    const kept = freshness.noRevisionCache ? undefined : this.#kept.get(key);
    if (kept && kept.askedAt >= since && kept.until > clock.now()) {
      if (kept.listing) return kept.listing;
      throw cachedFailure(kept.failure, kept.until);
    }
    const call = () => `${this.#changes.get(repositoryKey(repository.url)) ?? 0} ${key}`;
    // What was pushed after the question was put is not in its answer. All who wait put the next one together.
    for (let under = this.#under.get(call()); under && under.askedAt < since; under = this.#under.get(call()))
      await orAborted(under.ended, signal);
    return this.#asking.join(call(), (inner) => this.#ask(repository, { key, call: call() }, inner), signal);
  }

  forget(url: string): void {
    const key = repositoryKey(url);
    this.#changes.set(key, (this.#changes.get(key) ?? 0) + 1);
    this.#kept.deleteWhere((name) => name.startsWith(`${key} `));
  }

  async #ask(
    repository: Repository,
    { key, call }: { key: string; call: string },
    signal: AbortSignal,
  ): Promise<Listing> {
    const url = repositoryKey(repository.url);
    const change = this.#changes.get(url);
    const keep = (kept: Kept) => {
      if (this.#changes.get(url) === change) this.#kept.set(key, kept);
    };
    const now = () => this.#options.clock.now();
    const askedAt = now();
    const ended = Promise.withResolvers<void>();
    const under = { askedAt, ended: ended.promise };
    this.#under.set(call, under);
    try {
      const ask = () => this.#askPatiently(repository, signal);
      const listing = { refs: await this.#options.hosts.ask(repository, ask), askedAt };
      keep({ listing, failures: 0, askedAt, until: now() + this.#options.keepMs });
      return listing;
    } catch (failure) {
      // What is not even asked says nothing of this repository.
      if (signal.aborted || isRefusal(failure)) throw failure;
      const failures = (this.#kept.get(key)?.failures ?? 0) + 1;
      keep({
        failure,
        failures,
        askedAt,
        until: now() + growingPause(failures, { firstMs: 1000, longestMs: maxFailureMs }),
      });
      throw failure;
    } finally {
      if (this.#under.get(call) === under) this.#under.delete(call);
      ended.resolve();
    }
  }

  async #askPatiently(repository: Repository, signal: AbortSignal): Promise<RemoteRefs> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#askOnce(repository, signal);
      } catch (error) {
        const failure = readGitFailure(repository.url, error);
        if (attempt === attempts || !isPassing(failure) || isTimeout(error)) throw failure;
      }
      await this.#options.clock.sleep(firstPauseMs * 2 ** (attempt - 1), signal);
    }
  }

  async #askOnce(repository: Repository, signal: AbortSignal): Promise<RemoteRefs> {
    const { redirects, http, clock, timeoutMs } = this.#options;
    const begun = clock.now();
    const ask = async (url: string) => {
      const told = await askRefs(http, url, { repository, clock, signal, timeoutMs });
      const leftMs = Math.max(leastMs, timeoutMs - (clock.now() - begun));
      return told ?? this.#askGit(url, repository, { signal, timeoutMs: leftMs });
    };
    return redirects.following(repository, ask, signal);
  }

  async #askGit(
    url: string,
    repository: Repository,
    limits: { signal: AbortSignal; timeoutMs: number },
  ): Promise<RemoteRefs> {
    const { git, files, dataDir: cwd } = this.#options;
    const access = await openAccess(repository, files, limits.signal);
    try {
      const { stdout } = await git.run([...inOneAnswer, "ls-remote", "--quiet", "--", url], {
        ...{ cwd, access, ...limits },
      });
      return readRemoteRefs(stdout.toString());
    } finally {
      await access.close();
    }
  }
}

/**
 * All references are wanted, and the protocol's first version gives them in its first answer. The second asks once more,
 * over HTTP by another request, and in pieces of which TCP holds each back until the former has been acknowledged (RFC
 * 9293, 3.7.4, and 3.8.6.3): 40 ms on the loopback.
 */
const inOneAnswer = ["-c", "protocol.version=0"];

/** Waiting as long again would keep everyone waiting. */
function isTimeout(error: unknown): boolean {
  return isCapstanError(error, "TIMED_OUT");
}
