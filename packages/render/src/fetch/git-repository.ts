import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Limiter, SharedCalls } from "@capstan/flow";
import { CapstanError, isCapstanError, withoutUserinfo } from "@capstan/model";
import type { CommandEnd, Log } from "@capstan/plugin-kit";
import { createBare, exists, parseRevision, removeLeftovers } from "./bare-folder.ts";
import type { BegunCopies } from "./begun-copies.ts";
import { alone, depthBeside, depthWords, isShallow, keepHistory, withParents } from "./copy-history.ts";
import type { FetchFrom, GitHere } from "./fetch-from.ts";
import { packFirst } from "./fetch-pack.ts";
import type { GitAccess } from "./git-access.ts";
import type { GitCredentials } from "./git-credentials.ts";
import { readDamage, readGitFailure } from "./git-failure.ts";
import type { GitCommit, GitTag } from "./git-objects.ts";
import type { GitProgram } from "./git-program.ts";
import { KnownCommits } from "./known-commits.ts";
import { ObjectLost, ObjectReader } from "./object-reader.ts";
import {
  type CopyKind,
  decideCopyKind,
  fetchWords,
  filterOf,
  filterWords,
  isOfThisMachine,
  keepCopyKind,
  ofNothing,
  readCopyKind,
  withoutFiles,
} from "./partial-copy.ts";

/** Commits kept per repository; older ones are fetched again when someone wants them. */
const keptCommits = 200;
/** A failure of these is the server's word, whatever it is asked with. */
const answers = ["REPOSITORY_AUTH", "REPOSITORY_MISSING", "REVISION_MISSING", "FAILED_PRECONDITION"] as const;
const refPrefix = "refs/capstan/";
/** As many ids as stand on one command line. */
const objectsAtOnce = 1_000;

/**
 * One bare repository of this machine. A commit counts as present when its ref is, because git writes the ref only
 * after all objects have arrived: a kill in the middle leaves nothing that looks complete.
 */
export class GitRepository {
  readonly reader: ObjectReader;
  readonly #dir: string;
  readonly #git: GitProgram;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #fetches = new SharedCalls<void>();
  readonly #lock = new Limiter({ atOnce: 1 });
  #commits: Set<string> | undefined;
  readonly #known: KnownCommits;
  #kind: CopyKind | undefined;
  #sinceCleaned = 0;
  readonly #begun: BegunCopies;
  #begunAs = 0;

  constructor({ dir, git, log, begun }: { dir: string; git: GitProgram; log: Log; begun: BegunCopies }) {
    this.#dir = dir;
    this.#begun = begun;
    this.#git = git;
    this.#log = log;
    this.reader = new ObjectReader(dir, git.env);
    this.#known = new KnownCommits(this.reader);
  }

  /** Fetches the commit unless it is here, by its id alone or by whatever way leads to it. */
  async ensureCommit(sha: string, from: FetchFrom, by: "id" | "any way" = "any way"): Promise<void> {
    if (this.#commits?.has(sha)) return;
    const fetch = (signal: AbortSignal) =>
      this.#exclusive((inner) => this.#fetchCommit(sha, inner, by), from.until(signal));
    await this.#fetches.join(`${sha} by ${by}`, fetch, from.signal);
  }

  /** Known once a commit is here. */
  get kind(): CopyKind {
    return this.#kind ?? "whole";
  }

  /** Fetches files' contents that did not come with their commit. */
  async ensureObjects(ids: readonly string[], from: FetchFrom): Promise<void> {
    if ((await this.#lacking(ids, from.signal)).length === 0) return;
    await this.#exclusive(async (inner) => {
      // Another one's repair may have thrown away the commit that names them.
      if (!this.#commits) throw new ObjectLost(this.reader, ids[0] ?? "");
      const lacking = await this.#lacking(ids, inner.signal);
      for (let at = 0; at < lacking.length; at += objectsAtOnce)
        await this.#fetch([withoutFiles, ofNothing], lacking.slice(at, at + objectsAtOnce), inner);
    }, from);
  }

  commit(sha: string, signal: AbortSignal): Promise<GitCommit> {
    return this.#known.commit(sha, signal);
  }

  tag(id: string, signal: AbortSignal): Promise<GitTag> {
    return this.#known.tag(id, signal);
  }

  /** The whole id of a shortened one; fetches all branches and tags when it is not among what is here. */
  async findCommit(prefix: string, from: FetchFrom): Promise<string | undefined> {
    return this.#exclusive(async (inner) => {
      await this.#open(inner);
      const here = await parseRevision(prefix, this.#here(inner));
      if (here !== undefined) return here;
      await this.#fetchAll(inner);
      return parseRevision(prefix, this.#here(inner));
    }, from);
  }

  /** Fetches the object of an annotated tag, which the remote's ref names. */
  async ensureTag(id: string, from: FetchFrom): Promise<void> {
    if (await this.reader.read(id, from.signal)) return;
    await this.#exclusive(async (inner) => {
      await this.#open(inner);
      await this.#fetch(depthWords(await this.#depth()), [id], inner);
    }, from);
  }

  /** Asks git of what is here. `isWhole`: with all that the commits come from. */
  async ask(
    args: readonly string[],
    { access, isWhole }: { access: GitCredentials; isWhole: boolean },
    from: FetchFrom,
  ): Promise<CommandEnd> {
    return this.#exclusive(async (inner) => {
      await this.#open(inner);
      // Git takes the border of a shallow copy for the beginning of everything.
      if (isWhole && (await isShallow(this.#dir))) await this.#fetchAll(inner);
      const { signal, timeoutMs } = inner;
      return this.#git.ask(args, { cwd: this.#dir, signal, timeoutMs, access });
    }, from);
  }

  /** Runs git here, several times if need be, while nothing else does. */
  async exclusively<Value>(work: (run: GitHere) => Promise<Value>, from: FetchFrom): Promise<Value> {
    return this.#exclusive(async (inner) => {
      await this.#open(inner);
      return work(this.#here(inner));
    }, from);
  }

  /** Forgets a damaged copy, unless it was begun anew after that many were; the next use fetches again. */
  async reset(begunAfter: number, signal: AbortSignal): Promise<void> {
    const isNewer = () => this.#begunAs > begunAfter;
    await this.#lock.run(async () => (isNewer() ? undefined : this.#discard()), signal);
  }

  close(): void {
    this.#closing.abort(new Error("closing"));
    this.reader.close();
  }

  /**
   * Work that no other of this repository overlaps. Damage on this side is repaired and the work done once more:
   * locks of a git that was killed are removed, a broken copy is begun anew.
   */
  async #exclusive<Value>(work: (from: FetchFrom) => Promise<Value>, from: FetchFrom): Promise<Value> {
    return this.#lock.run(async () => {
      try {
        return await work(from);
      } catch (error) {
        const damage = readDamage(error);
        if (!damage || from.signal.aborted) throw error;
        this.#log.warn(
          { repository: withoutUserinfo(from.url), damage, error },
          "a git repository of the cache is repaired",
        );
        if (damage === "locked") await removeLeftovers(this.#dir);
        else await this.#discard();
        return work(from);
      }
    }, from.signal);
  }

  async #lacking(ids: readonly string[], signal: AbortSignal): Promise<string[]> {
    const sizes = await Promise.all(ids.map((id) => this.reader.size(id, signal)));
    return ids.filter((_, index) => sizes[index] === undefined);
  }

  async #discard(): Promise<void> {
    this.#commits = undefined;
    this.#known.forget();
    this.#kind = undefined;
    this.#begunAs = this.#begun.another();
    await rm(this.#dir, { recursive: true, force: true });
    // Not before: who asks meanwhile starts it in the folder that goes, where it would find nothing ever after.
    this.reader.close();
  }

  async #fetchCommit(sha: string, from: FetchFrom, by: "id" | "any way"): Promise<void> {
    const commits = await this.#open(from);
    if (commits.has(sha)) return;
    try {
      await this.#fetchOne(sha, from);
    } catch (error) {
      // Old servers give only what a ref points to, dumb ones know no depth.
      if (by === "id" || isCapstanError(error, ...answers) || from.signal.aborted) throw error;
      await this.#fetchAll(from);
      if ((await parseRevision(sha, this.#here(from))) !== sha)
        throw new CapstanError(
          { code: "REVISION_MISSING", repository: withoutUserinfo(from.url), revision: sha },
          error,
        );
      await this.#run(["update-ref", `${refPrefix}${sha}`, sha], from);
    }
    commits.add(sha);
    await this.#forgetOldest(commits, from);
  }

  async #fetchOne(sha: string, from: FetchFrom): Promise<void> {
    const ref = `${refPrefix}${sha}`;
    const refs = [`${sha}:${ref}`];
    if (this.#kind !== undefined) {
      const depth = await this.#depth();
      const words = [...depthWords(depth), ...filterWords(this.#kind)];
      if (depth !== withParents) return this.#fetch(words, refs, from);
      const here = { dir: this.#dir, reader: this.reader, filter: filterOf(this.#kind) };
      const copy = { ...here, commits: [...(this.#commits ?? [])], run: this.#here(from) };
      return this.#fetch(words, refs, packFirst({ sha, ref }, copy, from));
    }
    await this.#fetch([...alone, withoutFiles], [sha], from);
    const kind = await decideCopyKind(sha, this.#here(from));
    if (kind === "limited") await this.#fetch([...alone, ofNothing, ...filterWords(kind)], refs, from);
    else await this.#run(["update-ref", ref, sha], from);
    await keepCopyKind(this.#dir, kind);
    this.#kind = kind;
  }

  async #fetchAll(from: FetchFrom): Promise<void> {
    const history = (await isShallow(this.#dir)) ? ["--unshallow"] : [];
    const refs = ["+refs/heads/*:refs/all/heads/*", "+refs/tags/*:refs/all/tags/*"];
    await this.#fetch([...filterWords(this.kind), ...history], refs, from);
    await keepHistory(this.#dir);
  }

  #depth(): Promise<number | undefined> {
    return depthBeside(this.#dir, this.#commits?.size ?? 0);
  }

  async #fetch(options: readonly string[], refs: readonly string[], from: FetchFrom): Promise<void> {
    const access = await from.openAccess();
    try {
      await from.following((url) => this.#run(fetchWords(url, options, refs), from, access));
    } catch (error) {
      throw readGitFailure(from.url, error);
    } finally {
      await access.close();
    }
  }

  /** Drops refs beyond the limit and, now and then, the objects that only they held. */
  async #forgetOldest(commits: Set<string>, from: FetchFrom): Promise<void> {
    const excess = [...commits].slice(0, Math.max(0, commits.size - keptCommits));
    for (const sha of excess) {
      await this.#run(["update-ref", "-d", `${refPrefix}${sha}`], from);
      commits.delete(sha);
    }
    if (++this.#sinceCleaned < keptCommits) return;
    this.#sinceCleaned = 0;
    this.#clean(from.timeoutMs);
  }

  /** Nobody waits for it but the next fetch. Of a partial copy git throws nothing away: it is begun anew. */
  #clean(timeoutMs: number): void {
    const { signal } = this.#closing;
    const options = { cwd: this.#dir, signal, timeoutMs };
    const cleaned = this.#lock.run(async () => {
      if (this.kind !== "whole") await this.#discard();
      else await this.#git.run(["gc", "--quiet", "--prune=2.hours.ago"], options);
    }, signal);
    cleaned.catch((error: unknown) =>
      this.#log.warn({ error }, "a git repository of the cache was not cleaned"),
    );
  }

  async #open(from: FetchFrom): Promise<Set<string>> {
    if (this.#commits) return this.#commits;
    const isThere = await exists(join(this.#dir, "HEAD"));
    await (isThere ? removeLeftovers(this.#dir) : createBare(this.#dir, this.#git, from));
    const list = ["for-each-ref", "--sort=committerdate", "--format=%(refname:lstrip=2)", refPrefix];
    const names = isThere ? (await this.#run(list, from)).stdout.toString() : "";
    this.#commits = new Set(names.split("\n").filter(Boolean));
    this.#kind = (await readCopyKind(this.#dir)) ?? this.#settledKind(from.url);
    return this.#commits;
  }

  /** Of this machine there is nothing to save; what an earlier version fetched is whole. */
  #settledKind(url: string): CopyKind | undefined {
    return isOfThisMachine(url) || (this.#commits?.size ?? 0) > 0 ? "whole" : undefined;
  }

  #run(args: readonly string[], from: FetchFrom, access?: GitAccess) {
    return this.#here(from)(args, access && { access });
  }

  #here({ signal, timeoutMs }: FetchFrom): GitHere {
    return (args, more) => this.#git.run(args, { cwd: this.#dir, signal, timeoutMs, ...more });
  }
}
