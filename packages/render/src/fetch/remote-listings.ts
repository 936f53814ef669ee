import { BoundedMap, type Clock, isCapstanError, type Repository } from "@capstan/model";

import { cachedFailure } from "../cache/cached-failure.ts";
import { SharedCalls } from "../run/shared-calls.ts";
import { type AccessFiles, credentialsDigest, openAccess } from "./git-access.ts";
import { isPassing, readGitFailure } from "./git-failure.ts";
import type { GitProgram } from "./git-program.ts";
import { type RemoteRefs, readRemoteRefs } from "./remote-refs.ts";
import { repositoryKey } from "./repository-url.ts";

export interface RemoteListingsOptions {
  git: GitProgram;
  files: AccessFiles;
  dataDir: string;
  clock: Clock;
  /** How long an answer holds: 3 minutes in Argo CD (--revision-cache-expiration). */
  keepMs: number;
  timeoutMs: number;
}

interface Kept {
  refs?: RemoteRefs;
  failure?: unknown;
  failures: number;
  until: number;
}

const attempts = 3;
const firstPauseMs = 250;
const maxFailureMs = 60_000;

/** What remotes have: one `ls-remote` per repository and interval, shared by all who wait for it. */
export class RemoteListings {
  readonly #options: RemoteListingsOptions;
  readonly #kept = new BoundedMap<Kept>(10_000);
  readonly #asking = new SharedCalls<RemoteRefs>();
  /** Counts up when a remote is said to have changed, so that an answer already under way is not taken for new. */
  readonly #changes = new BoundedMap<number>(10_000);

  constructor(options: RemoteListingsOptions) {
    this.#options = options;
  }

  /** `fresh`: asks the remote even when an answer is kept. */
  async list(repository: Repository, fresh: boolean, signal: AbortSignal): Promise<RemoteRefs> {
    const key = `${repositoryKey(repository.url)} ${credentialsDigest(repository)}`;
    const kept = this.#kept.get(key);
    if (!fresh && kept && kept.until > this.#options.clock.now()) {
      if (kept.refs) return kept.refs;
      throw cachedFailure(kept.failure, kept.until);
    }
    const change = this.#changes.get(repositoryKey(repository.url)) ?? 0;
    return this.#asking.join(`${change} ${key}`, (inner) => this.#ask(repository, key, inner), signal);
  }

  forget(url: string): void {
    const key = repositoryKey(url);
    this.#changes.set(key, (this.#changes.get(key) ?? 0) + 1);
    this.#kept.deleteWhere((name) => name.startsWith(`${key} `));
  }

  async #ask(repository: Repository, key: string, signal: AbortSignal): Promise<RemoteRefs> {
    const url = repositoryKey(repository.url);
    const change = this.#changes.get(url);
    const keep = (kept: Kept) => {
      if (this.#changes.get(url) === change) this.#kept.set(key, kept);
    };
    const now = () => this.#options.clock.now();
    try {
      const refs = await this.#askPatiently(repository, signal);
      keep({ refs, failures: 0, until: now() + this.#options.keepMs });
      return refs;
    } catch (failure) {
      if (signal.aborted) throw failure;
      const failures = (this.#kept.get(key)?.failures ?? 0) + 1;
      keep({ failure, failures, until: now() + Math.min(maxFailureMs, 1000 * 2 ** (failures - 1)) });
      throw failure;
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
    const { git, files, dataDir, timeoutMs } = this.#options;
    const access = await openAccess(repository, files);
    try {
      const run = { cwd: dataDir, access, signal, timeoutMs };
      const { stdout } = await git.run(["ls-remote", "--quiet", "--", repository.url.trim()], run);
      return readRemoteRefs(stdout.toString());
    } finally {
      await access.close();
    }
  }
}

/** Waiting as long again would keep everyone waiting. */
function isTimeout(error: unknown): boolean {
  return isCapstanError(error, "TIMED_OUT");
}
