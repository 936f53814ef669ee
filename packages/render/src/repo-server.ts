import { availableParallelism } from "node:os";
import { join } from "node:path";
import { BoundedMap, type Clock } from "@capstan/flow";
import {
  allFolders,
  CapstanError,
  defaultSecretStores,
  type LocalFolders,
  type Pipeline,
} from "@capstan/model";
import { childrenWhileSmall, type Log, type Plugin, type ProgramStarter, Spawner } from "@capstan/plugin-kit";
import type { LocalGitAddress, PluginService, PluginServiceAccess, RepoServer } from "@capstan/wire";
import { DiskCache } from "./cache/disk-cache.ts";
import { FailureCache } from "./cache/failure-cache.ts";
import { LaterWork } from "./cache/later-work.ts";
import { ManifestCache } from "./cache/manifest-cache.ts";
import { changedFiles } from "./changed-files.ts";
import { PluginChoice } from "./choose/choose-plugin.ts";
import { describeSource } from "./describe-source.ts";
import { explainRender } from "./explain-render.ts";
import { allSources } from "./fetch/all-sources.ts";
import type { HelmSources } from "./fetch/helm-sources.ts";
import { IssuedTokens, type KnownIssuers } from "./fetch/issued-tokens.ts";
import { isOciRepository } from "./fetch/oci-charts.ts";
import { openRemotes } from "./fetch/open-remotes.ts";
import { branchesOf, tagsOf } from "./fetch/remote-refs.ts";
import { resolvedTree } from "./fetch/resolved-tree.ts";
import type { Sources } from "./fetch/sources.ts";
import { stageCharts, stageCredentials } from "./fetch/stage-credentials.ts";
import { stageFiles } from "./fetch/stage-files.ts";
import { Submodules } from "./fetch/submodules.ts";
import { uploadedSources } from "./fetch/uploaded-sources.ts";
import { ManifestGenerator } from "./generate-manifests.ts";
import { RenderKeys } from "./inputs/render-keys.ts";
import { defaultLimits, type RenderLimits } from "./limits.ts";
import { listApps } from "./list-apps.ts";
import { listPlugins } from "./list-plugins.ts";
import { folderSources, withFolder } from "./local/folder-sources.ts";
import { noMetrics, type RenderMetrics } from "./metrics.ts";
import { Pipelines } from "./pipeline/pipelines.ts";
import { StageCache } from "./pipeline/stage-cache.ts";
import { readGitContent } from "./read-git-content.ts";
import { PluginCatalog } from "./remote/plugin-catalog.ts";
import { RenderQueues } from "./run/render-queues.ts";
import { UnsaidSecrets } from "./run/unsaid-secrets.ts";
import { removeLeftWorkspaces } from "./run/workspace.ts";
import { Keyrings } from "./signatures/keyrings.ts";
import { SignatureChecks } from "./signatures/signature-checks.ts";
import { toolEnv, withPath } from "./tool-env.ts";
import { Archives } from "./transfer/archives.ts";
import { CommitSigners } from "./write/commit-signers.ts";
import { writeFiles } from "./write/write-files.ts";

export interface RepoServerOptions {
  /** Repositories, charts and cached renderings live here; one process at a time. */
  dataDir: string;
  clock: Clock;
  log: Log;
  metrics?: RenderMetrics;
  /** Renders at once; default one for each core. */
  concurrency?: number;
  /** In this process: the tools that sources have sections for, and others, which are asked before these. */
  plugins: readonly Plugin[];
  /** Folders of plugin sidecars' sockets, as Argo CD's ARGOCD_PLUGINSOCKFILEPATH; the first is preferred. */
  pluginSockets?: readonly string[];
  /** Plugins that run as Services, as they are now. */
  pluginServices?(): readonly PluginService[];
  /** What those may ask of their callers, and who vouches for them, as it is now; only over TLS. */
  pluginAccess?(): PluginServiceAccess;
  /** Files that no plugin elsewhere gets: globs on the path (--plugin-tar-exclude). */
  pluginTarExclude?: readonly string[];
  /** Plugins that name no inputs get what the annotation manifest-generate-paths names (--plugin-use-manifest-generate-paths). */
  pluginUseManifestGeneratePaths?: boolean;
  /** Pipelines that applications may name, as they are now. */
  pipelines?(): readonly Pipeline[];
  /** Folders of this machine that applications may name as repositories; default: all, for a person's own renders. */
  folders?: LocalFolders;
  /** Where those repositories are to be had, and are judged; absent: they are read where they are. */
  localGit?: LocalGitAddress;
  /** Secret stores that applications may use whose project names none; default: Secrets of their own namespace. */
  secretStores?: string;
  /** Stands for the repository of this URL, with what is not committed: for the command line's own renders. */
  localFolder?: { url: string; path: string };
  /** The process's environment, for PATH, proxies and git's configuration; default none but a usual PATH. */
  env?: Readonly<Record<string, string | undefined>>;
  /**
   * Programs are started by a small process of their own: for a process that grows large, whose forks are dear. It ends
   * them, should this one be killed: where something else does, it can be left to renders.
   */
  separateStarter?: "always" | "for renders";
  limits?: Partial<RenderLimits>;
  /** Who gives tokens for keys; default those that everybody uses. */
  issuers?: KnownIssuers;
}

export async function createRepoServer(options: RepoServerOptions): Promise<RepoServer & AsyncDisposable> {
  const { dataDir, clock, log, env = {}, localFolder: local } = options;
  const limits = { ...defaultLimits, ...options.limits };
  await removeLeftWorkspaces(clock);
  const { spawner, forRenders, starter } = await openStarters(options);
  const tokens = new IssuedTokens({ clock, env, timeoutMs: limits.requestTimeoutMs, ...issuersOf(options) });
  const { git, charts, artifacts } = await openRemotes({
    ...gitOptions(options),
    ...limits,
    ...starter,
    tokens,
  });
  const remote = allSources({ git, charts, artifacts, uploads: uploadedSources() });
  const sources = local ? withFolder(remote, local.url, folderSources(local.path, limits)) : remote;
  const archives = await Archives.open({ dataDir, log, ...remoteLimits(limits) });
  const catalog = openCatalog(options, { archives, limits });
  const tools = options.plugins.filter(({ tool }) => tool);
  const needs = { sources, charts, tokens, catalog, tools, keys: new RenderKeys(), limits, ...forRenders };
  const generator = await createGenerator(options, { ...needs, env: toolEnv(git.toolEnv, env) });
  const keyrings = new Keyrings({ dataDir, clock, env, timeoutMs: limits.requestTimeoutMs, ...starter });
  const signers = new CommitSigners({ dataDir, clock, env, timeoutMs: limits.requestTimeoutMs, ...starter });
  const signatures = new SignatureChecks({ git, keyrings, clock });
  const closing = new AbortController();
  const open = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);
  return {
    generateManifests: (request, signal) =>
      git.repairing(() => generator.generate(request, open(signal)), signal),
    identifyAnswer: (request, signal) => generator.identify(request, open(signal)),
    explainRender: (request, signal) =>
      git.repairing(() => explainRender(generator, request, open(signal)), signal),
    describeSource: (request, signal) =>
      git.repairing(() => describeSource(generator, request, open(signal)), signal),
    resolveRevision: (request, signal) => sources.resolve(request, open(signal)),
    fetchRevision: async (request, signal) =>
      git.fetchGiven({ ...request, ...(await git.resolve(request, open(signal))) }, open(signal)),
    revisionMetadata: async (request, signal) => {
      const asked = { ...request, revision: (await sources.resolve(request, open(signal))).revision };
      return signatures.describe(await sources.metadata(asked, open(signal)), asked, open(signal));
    },
    verifySignatures: (request, signal) =>
      git.repairing(() => signatures.problems(request, open(signal)), signal),
    listRefs: async ({ repository }, signal) => {
      if (isOciRepository(repository))
        return { branches: [], tags: await artifacts.tags(repository, open(signal)) };
      const refs = await git.refs(repository, {}, open(signal));
      return { branches: branchesOf(refs), tags: tagsOf(refs) };
    },
    listCharts: ({ repository }, signal) => charts.list(repository, open(signal)),
    listApps: async (request, signal) => listApps(await resolvedTree(git, request, open(signal)), tools),
    readGitContent: (request, signal) =>
      git.repairing(
        async () => readGitContent(await resolvedTree(git, request, open(signal)), request),
        signal,
      ),
    changedFiles: (request, signal) => git.repairing(() => changedFiles(git, request, open(signal)), signal),
    writeFiles: (request, signal) =>
      git.repairing(() => writeFiles({ git, clock, signers }, request, open(signal)), signal),
    testRepository: async ({ repository }, signal) => {
      if (repository.type === "helm" || repository.type === "oci")
        await charts.test(repository, open(signal));
      else await git.refs(repository, { noRevisionCache: true }, open(signal));
    },
    forgetRevisions: (url) => {
      git.forget(url);
      charts.forget(url);
    },
    listPlugins: () =>
      listPlugins(catalog, { ...needs, pipelines: options.pipelines?.() ?? [], signal: closing.signal }),
    [Symbol.asyncDispose]: async () => {
      closing.abort(
        new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem: "it is shutting down" }),
      );
      await generator.settle();
      await catalog[Symbol.asyncDispose]();
      await archives[Symbol.asyncDispose]();
      git[Symbol.dispose]();
      await spawner?.[Symbol.asyncDispose]();
    },
  };
}

function issuersOf({ issuers }: RepoServerOptions): { known?: KnownIssuers } {
  return issuers === undefined ? {} : { known: issuers };
}

function gitOptions({ dataDir, clock, log, env = {}, metrics = noMetrics, ...more }: RepoServerOptions) {
  const { folders = allFolders, localGit } = more;
  return { dataDir, clock, log, env: withPath(env), folders, metrics, ...(localGit && { localGit }) };
}

/** Renders start programs again and again; git and gpg are asked a few times for a commit. */
async function openStarters({ separateStarter, dataDir, env = {} }: RepoServerOptions): Promise<Starters> {
  if (!separateStarter) return {};
  const spawner = await Spawner.open(join(dataDir, "pipes"), withPath(env).PATH);
  if (separateStarter === "always") spawner.prepare();
  const starter = separateStarter === "always" ? spawner : childrenWhileSmall(spawner);
  return { spawner, forRenders: { starter: spawner }, starter: { starter } };
}

interface Starters {
  spawner?: Spawner;
  forRenders?: { starter: ProgramStarter };
  starter?: { starter: ProgramStarter };
}

interface GeneratorNeeds {
  sources: Sources;
  charts: HelmSources;
  catalog: PluginCatalog;
  tools: readonly Plugin[];
  keys: RenderKeys;
  tokens: IssuedTokens;
  limits: RenderLimits;
  env: Readonly<Record<string, string>>;
  starter?: ProgramStarter;
}

async function createGenerator(
  options: RepoServerOptions,
  needs: GeneratorNeeds,
): Promise<ManifestGenerator> {
  const { dataDir, clock, log, metrics = noMetrics, concurrency = availableParallelism() } = options;
  const { sources, catalog, tools, limits, env, starter } = needs;
  const { maxTreeBytes: maxBytes, renderTimeoutMs: timeoutMs } = limits;
  const later = new LaterWork(log);
  const disk = await DiskCache.open({ dir: join(dataDir, "cache"), log, clock });
  const choice = new PluginChoice({ tools, clock, log });
  const cache = new ManifestCache(limits.maxCacheBytes, { disk, clock, later });
  const run = {
    ...{ clock, log, env, later, unsaid: new UnsaidSecrets() },
    limits: { ...limits, maxBytes, timeoutMs },
    ...(starter ? { starter } : {}),
  };
  const pipelines = new Pipelines({
    named: () => options.pipelines?.() ?? [],
    isAnyTool: (source) => tools.some(({ tool }) => tool && source[tool.section]),
    cache: new StageCache({ clock, manifests: cache, maxBytes: limits.maxCacheBytes / 4 }),
    run,
  });
  return new ManifestGenerator({
    clock,
    log,
    metrics,
    sources,
    submodules: new Submodules({ sources, clock }),
    installed: (signal) => catalog.current(signal),
    choice,
    pipelines,
    keys: needs.keys,
    cache,
    failures: new FailureCache(clock),
    queues: new RenderQueues({
      name: "queue of renders",
      atOnce: concurrency,
      limit: limits.maxWaitingRenders,
      onChange: metrics.queue,
    }),
    secretStores: options.secretStores ?? defaultSecretStores,
    credentials: (request, signal) =>
      stageCredentials(
        request,
        { knownHostsFile: join(dataDir, "ssh_known_hosts"), tokens: needs.tokens },
        signal,
      ),
    elsewhere: (request, signal) => ({
      ...stageCharts(request, needs.charts, signal),
      ...stageFiles(request, { sources, clock, ...limits }, signal),
    }),
    run,
  });
}

function remoteLimits({ maxTreeBytes: maxBytes, maxFiles }: RenderLimits) {
  return { maxBytes, maxFiles };
}

function openCatalog(
  options: RepoServerOptions,
  { archives, limits }: { archives: Archives; limits: RenderLimits },
): PluginCatalog {
  const { clock, log, metrics = noMetrics, plugins, pluginSockets, pluginServices } = options;
  const { pluginTarExclude: exclude = [], pluginAccess } = options;
  const { renderTimeoutMs: timeoutMs, maxOutputBytes } = limits;
  const verdicts = new BoundedMap<boolean>(200_000);
  const parts = {
    clock,
    log,
    sent: metrics.sent,
    archives,
    verdicts,
    exclude,
    givesGeneratePaths: options.pluginUseManifestGeneratePaths === true,
    limits: { timeoutMs, maxOutputBytes, ...remoteLimits(limits) },
  };
  return new PluginCatalog({
    plugins: plugins.filter(({ tool }) => !tool),
    parts,
    ...(pluginSockets === undefined ? {} : { socketFolders: pluginSockets }),
    ...(pluginServices ? { services: pluginServices } : {}),
    ...(pluginAccess ? { access: pluginAccess } : {}),
  });
}
