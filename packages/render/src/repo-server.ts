import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Clock } from "@capstan/model";
import type { Log, Plugin } from "@capstan/plugin-kit";
import { directory, helm, kustomize } from "@capstan/plugins";
import type { RepoServer, Repository, RevisionRequest } from "@capstan/wire";
import { DiskCache } from "./cache/disk-cache.ts";
import { FailureCache } from "./cache/failure-cache.ts";
import { ManifestCache } from "./cache/manifest-cache.ts";
import { PluginChoice } from "./choose/choose-plugin.ts";
import { allSources } from "./fetch/all-sources.ts";
import { GitSources } from "./fetch/git-sources.ts";
import { HelmSources } from "./fetch/helm-sources.ts";
import { branchesOf, tagsOf } from "./fetch/remote-refs.ts";
import { ManifestGenerator } from "./generate-manifests.ts";
import { listApps } from "./list-apps.ts";
import { noMetrics, type RenderMetrics } from "./metrics.ts";
import { JobQueue } from "./run/job-queue.ts";

export interface RepoServerOptions {
  /** Repositories, charts and cached renderings live here; one process at a time. */
  dataDir: string;
  clock: Clock;
  log: Log;
  metrics?: RenderMetrics;
  /** Renders at once; default one for each core. */
  concurrency?: number;
  /** Besides those that ship with Capstan; asked first. */
  plugins?: readonly Plugin[];
  /** The process's environment, for PATH, proxies and git's configuration; default none but a usual PATH. */
  env?: Readonly<Record<string, string | undefined>>;
  limits?: Partial<RenderLimits>;
}

export interface RenderLimits {
  /** How long a remote's answer about its branches holds. */
  revisionCacheMs: number;
  requestTimeoutMs: number;
  fetchTimeoutMs: number;
  renderTimeoutMs: number;
  maxFileBytes: number;
  /** All files of one render together. */
  maxTreeBytes: number;
  maxFiles: number;
  maxOutputBytes: number;
  maxCacheBytes: number;
  maxWaitingRenders: number;
}

/** Times are Argo CD's defaults (--revision-cache-expiration, ARGOCD_GIT_REQUEST_TIMEOUT, ARGOCD_EXEC_TIMEOUT). */
const defaultLimits: RenderLimits = {
  revisionCacheMs: 180_000,
  requestTimeoutMs: 15_000,
  fetchTimeoutMs: 90_000,
  renderTimeoutMs: 90_000,
  maxFileBytes: 64 * 2 ** 20,
  maxTreeBytes: 2 ** 30,
  maxFiles: 100_000,
  maxOutputBytes: 128 * 2 ** 20,
  maxCacheBytes: 256 * 2 ** 20,
  maxWaitingRenders: 10_000,
};

export async function createRepoServer(options: RepoServerOptions): Promise<RepoServer & AsyncDisposable> {
  const { dataDir, clock, log, metrics = noMetrics, plugins = [], env = {} } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const git = await GitSources.open({ dataDir, clock, env: withPath(env), ...limits });
  const charts = new HelmSources({ dataDir, clock, ...limits });
  const sources = allSources(git, charts);
  const concurrency = options.concurrency ?? availableParallelism();
  const disk = await DiskCache.open({ dir: join(dataDir, "cache"), log, clock });
  const installed = plugins.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const generator = new ManifestGenerator({
    clock,
    log,
    metrics,
    sources,
    choice: new PluginChoice({ installed, directory, helm, kustomize }),
    cache: new ManifestCache(limits.maxCacheBytes, disk),
    failures: new FailureCache(clock),
    queue: new JobQueue({
      name: "queue of renders",
      concurrency,
      limit: limits.maxWaitingRenders,
      clock,
      onChange: metrics.queue,
    }),
    run: {
      clock,
      log,
      env: toolEnv(git.env, env),
      limits: { ...limits, maxBytes: limits.maxTreeBytes, timeoutMs: limits.renderTimeoutMs },
    },
  });
  return {
    generateManifests: (request, signal) =>
      git.repairing(request.repository.url, () => generator.generate(request, signal), signal),
    resolveRevision: (request, signal) => sources.resolve(request, signal),
    revisionMetadata: async (request, signal) => {
      const { revision } = await sources.resolve(request, signal);
      return sources.metadata({ ...request, revision }, signal);
    },
    listRefs: async ({ repository }, signal) => {
      const refs = await git.refs(repository, false, signal);
      return { branches: branchesOf(refs), tags: tagsOf(refs) };
    },
    listApps: async (request: RevisionRequest, signal) => {
      const { revision } = await git.resolve(request, signal);
      return listApps(await git.tree({ ...request, revision }, signal));
    },
    testRepository: async ({ repository }: { repository: Repository }, signal) => {
      if (repository.type === "helm" || repository.type === "oci") await charts.test(repository, signal);
      else await git.refs(repository, true, signal);
    },
    forgetRevisions: (url) => {
      git.forget(url);
      charts.forget(url);
    },
    listPlugins: async () =>
      [directory, helm, kustomize, ...installed].map((plugin) => ({
        name: plugin.name,
        shape: shapeOf(plugin),
      })),
    [Symbol.asyncDispose]: async () => git[Symbol.dispose](),
  };
}

function shapeOf(plugin: Plugin): "generate" | "transform" | "prepare" {
  if (plugin.generate) return "generate";
  return plugin.transform ? "transform" : "prepare";
}

/** What programs may have of this process: git's settings, so that remote bases are found as repositories are. */
function toolEnv(
  git: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const taken: Record<string, string> = { ...git };
  for (const name of ["HOME", "CAPSTAN_CACHE", "XDG_CACHE_HOME"]) {
    const value = env[name];
    if (value !== undefined) taken[name] = value;
  }
  return taken;
}

function withPath(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return { ...env, PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin" };
}
