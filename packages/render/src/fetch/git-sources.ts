import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BoundedMap, type Clock } from "@capstan/flow";
import { allFolders, type LocalFolders, type Repository } from "@capstan/model";
import type { Log, ProgramStarter, SourceTree } from "@capstan/plugin-kit";
import type { ResolvedRevision, RevisionMetadata, RevisionRequest } from "@capstan/wire";
import type { RenderMetrics } from "../metrics.ts";
import { BegunCopies } from "./begun-copies.ts";
import { copyFolder } from "./copy-folder.ts";
import { counted } from "./count-requests.ts";
import type { FetchFrom } from "./fetch-from.ts";
import type { Freshness } from "./freshness.ts";
import {
  type AccessFiles,
  credentialsDigest,
  openAccess,
  plainSshCommand,
  prepareAccessFiles,
} from "./git-access.ts";
import { type GitCredentials, remoteProtocols } from "./git-credentials.ts";
import { createGitProgram, type GitProgram } from "./git-program.ts";
import { GitRedirects } from "./git-redirects.ts";
import { GitRepository } from "./git-repository.ts";
import { GitRevisions } from "./git-revisions.ts";
import { type ContentCache, GitTree, type TreeCache } from "./git-tree.ts";
import { HttpGit } from "./http-git.ts";
import type { IssuedTokens } from "./issued-tokens.ts";
import { LfsServer } from "./lfs-server.ts";
import { LfsStore } from "./lfs-store.ts";
import { LfsTree } from "./lfs-tree.ts";
import { RemoteListings } from "./remote-listings.ts";
import { type RemoteRefs, tagsAt } from "./remote-refs.ts";
import { normaliseUrl } from "./repository-url.ts";
import { isCommit } from "./resolve-revision.ts";
import type { SourceAt, Sources } from "./sources.ts";
import type { UnreachableHosts } from "./unreachable-hosts.ts";

export interface GitSourcesOptions {
  dataDir: string;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  revisionCacheMs: number;
  /** For asking a remote what it has: ARGOCD_GIT_REQUEST_TIMEOUT, 15 s. */
  requestTimeoutMs: number;
  /** For fetching a commit: ARGOCD_EXEC_TIMEOUT, 90 s. */
  fetchTimeoutMs: number;
  maxFileBytes: number;
  /** Of this machine, which may be repositories. */
  folders?: LocalFolders;
  starter?: ProgramStarter;
  tokens: IssuedTokens;
  hosts: UnreachableHosts;
  metrics?: Pick<RenderMetrics, "git">;
}

interface Opened {
  git: GitProgram;
  files: AccessFiles;
  lfs: LfsStore;
  toolEnv: Record<string, string>;
}

/** An annotated tag, and whom it names. */
export interface SignedTag {
  readonly id: string;
  /** Under which the remote shows it. */
  readonly name: string;
  /** That it gives itself. */
  readonly ownName: string;
  readonly tagger: string;
}

interface CopyQuestion extends Pick<SourceAt, "repository" | "revision"> {
  args: readonly string[];
  access: GitCredentials;
  /** With all that the commit comes from. */
  isWhole: boolean;
}

/** Repositories whose reading processes stay open. */
const maxOpenReaders = 16;
const maxTreeItems = 500_000;
const maxContentBytes = 32 * 2 ** 20;

/** Everything that comes out of git. */
export class GitSources implements Sources, Disposable {
  /** Git's settings for programs that run git themselves: no file of this machine, and nobody's keys. */
  readonly toolEnv: Readonly<Record<string, string>>;
  readonly #options: GitSourcesOptions;
  readonly #git: GitProgram;
  readonly #http: HttpGit;
  readonly #files: AccessFiles;
  readonly #lfs: LfsStore;
  readonly #redirects: GitRedirects;
  readonly #listings: RemoteListings;
  readonly #revisions: GitRevisions;
  readonly #repositories = new Map<string, GitRepository>();
  readonly #begun = new BegunCopies();
  readonly #trees: TreeCache = new BoundedMap(maxTreeItems);
  readonly #admitted = new BoundedMap<true>(10_000);
  readonly #contents: ContentCache = new BoundedMap(maxContentBytes);

  static async open(options: GitSourcesOptions): Promise<GitSources> {
    await mkdir(join(options.dataDir, "repos"), { recursive: true });
    const files = await prepareAccessFiles(options.dataDir, {
      folders: allFolders,
      ...options,
    });
    const git = await createGitProgram(options);
    const toolEnv = {
      ...git.env,
      GIT_ALLOW_PROTOCOL: remoteProtocols,
      GIT_SSH_COMMAND: await plainSshCommand(files),
    };
    const lfs = await LfsStore.open(join(options.dataDir, "lfs"), options.clock);
    return new GitSources(options, { git, files, lfs, toolEnv });
  }

  private constructor(options: GitSourcesOptions, { git, files, lfs, toolEnv }: Opened) {
    const { dataDir, clock, revisionCacheMs: keepMs, requestTimeoutMs: timeoutMs } = options;
    this.#options = options;
    this.#git = git;
    this.toolEnv = toolEnv;
    this.#files = files;
    this.#lfs = lfs;
    const redirects = new GitRedirects({ clock, timeoutMs });
    this.#redirects = redirects;
    const hosts: Pick<UnreachableHosts, "ask"> = {
      ask: (way, work) =>
        options.hosts.ask(way, () => counted(options, { url: way.url, request: "ls-remote" }, work)),
    };
    const http = new HttpGit({ git, tokens: files.tokens, dataDir, clock });
    this.#http = http;
    const listing = { git, http, files, redirects, dataDir, clock, keepMs, timeoutMs, hosts };
    this.#listings = new RemoteListings(listing);
    this.#revisions = new GitRevisions({
      clock,
      listings: this.#listings,
      findCommit: (repository, prefix, signal) =>
        this.#repository(repository.url).findCommit(prefix, this.#from(repository, signal)),
    });
  }

  async refs(repository: Repository, freshness: Freshness, signal: AbortSignal): Promise<RemoteRefs> {
    return (await this.#listings.list(repository, freshness, signal)).refs;
  }

  forget(url: string): void {
    this.#listings.forget(url);
  }

  resolve(request: RevisionRequest, signal: AbortSignal): Promise<ResolvedRevision> {
    return this.#revisions.resolve(request, signal);
  }

  /** The files of a commit, fetched if need be. */
  async tree({ repository, revision: sha }: SourceAt, signal: AbortSignal): Promise<SourceTree> {
    const { copy, commit, from } = await this.#commit(repository, sha, signal);
    const bring = (ids: readonly string[]) => copy.ensureObjects(ids, from);
    const { kind, reader } = copy;
    const { maxFileBytes } = this.#options;
    const tree = new GitTree({
      revision: sha,
      rootId: commit.tree,
      reader,
      cache: this.#trees,
      contents: this.#contents,
      maxFileBytes,
      signal,
      ...(kind === "whole" ? {} : { lacking: { bring, isEmpty: kind === "on-demand" } }),
    });
    if (!repository.enableLfs) return tree;
    const server = (configured: string | undefined) => this.#lfsServer(repository, configured, signal);
    const kept = { store: this.#lfs, repository: normaliseUrl(repository.url) };
    return new LfsTree(tree, { ...kept, server, maxFileBytes, signal });
  }

  async #lfsServer(given: Repository, configured: string | undefined, signal: AbortSignal) {
    const { clock, fetchTimeoutMs: timeoutMs, tokens } = this.#options;
    const repository = await tokens.complete(given, signal);
    const said = configured === undefined ? {} : { configured };
    return new LfsServer({ repository, url: this.#redirects.end(given), ...said, clock, timeoutMs });
  }

  async metadata({ repository, revision: sha }: SourceAt, signal: AbortSignal): Promise<RevisionMetadata> {
    const { commit } = await this.#commit(repository, sha, signal);
    const refs = await this.refs(repository, {}, signal);
    return { author: commit.author, date: commit.date, message: commit.message, tags: tagsAt(refs, sha) };
  }

  /**
   * The annotated tag by which a source names a commit: what was asked for, else what the source itself asks for.
   * Nothing where it is a branch, a plain tag or the commit.
   */
  async signedTag(at: SourceAt, signal: AbortSignal): Promise<SignedTag | undefined> {
    const { repository, source, revision } = at;
    const wanted = (source.targetRevision ?? "").trim();
    if (isCommit(wanted)) return undefined;
    const { refs, resolution } = await this.#revisions.lookUp({ repository, source }, wanted, signal);
    if (resolution.kind !== "commit" || resolution.sha !== revision) return undefined;
    const id = refs.tags.get(resolution.name);
    if (id === undefined) return undefined;
    const { copy, from } = await this.copyWith(repository, revision, signal);
    await copy.ensureTag(id, from);
    return { id, name: resolution.name.replace(/^refs\/tags\//, ""), ...(await copy.tag(id, signal)) };
  }

  /** Asks git of a commit's copy here. */
  async askCopy(
    { repository, revision, args, access, isWhole }: CopyQuestion,
    signal: AbortSignal,
  ): Promise<{ stdout: string; stderr: string }> {
    const { copy, from } = await this.copyWith(repository, revision, signal);
    const { stdout, stderr } = await copy.ask(args, { access, isWhole }, from);
    return { stdout: stdout.toString(), stderr };
  }

  /** Runs work that reads objects, again where it finds that one is lost. */
  repairing<Value>(work: () => Promise<Value>, signal: AbortSignal): Promise<Value> {
    return this.#begun.repairing(work, async ({ reader }, begunBefore) => {
      for (const repository of this.#repositories.values())
        if (repository.reader === reader) await repository.reset(begunBefore, signal);
    });
  }

  [Symbol.dispose](): void {
    for (const repository of this.#repositories.values()) repository.close();
  }

  /** Fetches no more than that commit, whoever has named it; rejects where the remote does not give it by its id. */
  async fetchGiven({ repository, revision: sha }: SourceAt, signal: AbortSignal): Promise<void> {
    await this.#requireAccess(repository, signal);
    await this.#repository(repository.url).ensureCommit(sha, this.#from(repository, signal), "id");
  }

  async #commit(repository: Repository, sha: string, signal: AbortSignal) {
    const { copy, from } = await this.copyWith(repository, sha, signal);
    return { copy, from, commit: await copy.commit(sha, signal) };
  }

  /** The copy here, with the commit in it, and the way to where it comes from. */
  async copyWith(repository: Repository, sha: string, signal: AbortSignal) {
    await this.#requireAccess(repository, signal);
    const [copy, from] = [this.#repository(repository.url), this.#from(repository, signal)];
    await copy.ensureCommit(sha, from);
    return { copy, from };
  }

  /**
   * A commit that is here was fetched with somebody's credentials: who names it has shown that the remote lets him in
   * with his, once in the life of this process.
   */
  async #requireAccess(repository: Repository, signal: AbortSignal): Promise<void> {
    const key = `${repository.url.trim()} ${credentialsDigest(repository)}`;
    if (this.#admitted.has(key)) return;
    await this.refs(repository, {}, signal);
    this.#admitted.set(key, true);
  }

  #from(repository: Repository, signal: AbortSignal): FetchFrom {
    return {
      url: repository.url.trim(),
      following: (ask) =>
        this.#options.hosts.ask(repository, () =>
          counted(this.#options, { url: repository.url, request: "fetch" }, () =>
            this.#redirects.following(repository, ask, signal),
          ),
        ),
      askHttp: (url, question, timeoutMs) => this.#http.ask(url, question, { repository, signal, timeoutMs }),
      openAccess: () => openAccess(repository, this.#files, signal),
      signal,
      timeoutMs: this.#options.fetchTimeoutMs,
      until: (other) => this.#from(repository, other),
    };
  }

  #repository(url: string): GitRepository {
    const key = normaliseUrl(url);
    const known = this.#repositories.get(key);
    const repository =
      known ??
      new GitRepository({
        dir: join(this.#options.dataDir, "repos", copyFolder(key)),
        git: this.#git,
        log: this.#options.log,
        begun: this.#begun,
      });
    this.#repositories.delete(key);
    this.#repositories.set(key, repository);
    if (!known) this.#closeIdleReaders();
    return repository;
  }

  #closeIdleReaders(): void {
    const others = [...this.#repositories.values()].slice(0, -maxOpenReaders);
    for (const { reader } of others) if (!reader.isBusy) reader.close();
  }
}
