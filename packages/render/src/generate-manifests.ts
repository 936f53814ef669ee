import { hash } from "node:crypto";
import { CapstanError, type Clock, canonicalJson } from "@capstan/model";
import {
  followLinks,
  type Inputs,
  joinWithin,
  type Log,
  type Plugin,
  type RenderContext,
  type SourceTree,
} from "@capstan/plugin-kit";
import type { ManifestRequest, ManifestResponse, RenderTimings } from "@capstan/wire";
import { buildEnv } from "./build-env.ts";
import { BoundedMap } from "./cache/bounded-map.ts";
import type { FailureCache } from "./cache/failure-cache.ts";
import type { ManifestCache, Rendering } from "./cache/manifest-cache.ts";
import type { PluginChoice } from "./choose/choose-plugin.ts";
import { applyOverrides } from "./choose/source-overrides.ts";
import { openRefs } from "./fetch/ref-sources.ts";
import { displayUrl } from "./fetch/repository-url.ts";
import type { Sources } from "./fetch/sources.ts";
import { digestInputs, readInputs } from "./inputs/digest-inputs.ts";
import type { RenderMetrics } from "./metrics.ts";
import type { Pipelines } from "./pipeline/pipelines.ts";
import type { JobQueue } from "./run/job-queue.ts";
import { type RunOptions, runPlugin } from "./run/run-plugin.ts";
import { SharedCalls } from "./run/shared-calls.ts";

export interface GenerateParts {
  clock: Clock;
  log: Log;
  metrics: RenderMetrics;
  sources: Sources;
  choice: PluginChoice;
  pipelines: Pipelines;
  cache: ManifestCache;
  failures: FailureCache;
  queue: JobQueue;
  run: RunOptions;
}

interface Work {
  request: ManifestRequest;
  revision: string;
  plugin: Plugin;
  context: RenderContext;
  inputs: Inputs;
  key: string;
}

interface Done {
  rendering: Rendering;
  timings: Pick<RenderTimings, "queueMs" | "transferMs" | "stages">;
}

/** Rendering again what took less than this costs less than reading it from disk. */
const worthDiskMs = 20;
const noRun: Done["timings"] = { queueMs: 0, transferMs: 0, stages: [] };

/** Answers with manifests in the five steps of design.md §4: fetch, choose, inputs, cache, run. */
export class ManifestGenerator {
  readonly #parts: GenerateParts;
  readonly #renders = new SharedCalls<Done>();
  /** What an earlier identical request came down to: at one commit the answer cannot change. */
  readonly #answered = new BoundedMap<{ key: string; plugin: Plugin }>(100_000);

  constructor(parts: GenerateParts) {
    this.#parts = parts;
  }

  /** Until what still runs has ended and cleared up. */
  settle(): Promise<void> {
    return this.#renders.settle();
  }

  async generate(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse> {
    const { clock, sources, cache, failures, metrics } = this.#parts;
    const started = clock.now();
    const { revision } = await sources.resolve(request, signal);
    const refs = await openRefs({ ...request, revision }, sources, signal);
    const asked = digestRequest(request, revision, refs);
    const answer = (
      plugin: Plugin,
      { rendering, timings }: Done,
      spent: { fetchMs: number; chooseMs: number },
    ) => {
      const cache = timings === noRun ? "hit" : "miss";
      metrics.answered(cache);
      return respond({ plugin, rendering, revision, cache, timings: { ...timings, ...spent } });
    };
    const earlier = request.noCache ? undefined : this.#answered.get(asked);
    const kept = earlier && (await cache.get(earlier.key));
    if (earlier && kept)
      return answer(
        earlier.plugin,
        { rendering: kept, timings: noRun },
        {
          fetchMs: clock.now() - started,
          chooseMs: 0,
        },
      );
    const tree = await sources.tree({ ...request, revision }, signal);
    const fetchMs = clock.now() - started;
    const { plugin, context } = await this.#choose(request, { tree, refs });
    const inputs = await readInputs(plugin, context);
    const key = await digestInputs(plugin, context, inputs);
    const spent = { fetchMs, chooseMs: clock.now() - started - fetchMs };
    this.#answered.set(asked, { key, plugin });
    const known = request.noCache ? undefined : await cache.get(key);
    if (known) return answer(plugin, { rendering: known, timings: noRun }, spent);
    if (!request.noCache) failures.throwIfKept(key);
    const work: Work = { request, revision, plugin, context, inputs, key };
    const call = request.noCache ? `${key} anew` : key;
    const done = await this.#renders.join(call, (inner) => this.#run(work, inner), signal);
    return answer(plugin, done, spent);
  }

  /** What would render the request, without rendering. */
  async open(
    request: ManifestRequest,
    signal: AbortSignal,
  ): Promise<{ revision: string; plugin: Plugin; context: RenderContext }> {
    const { sources } = this.#parts;
    const { revision } = await sources.resolve(request, signal);
    const refs = await openRefs({ ...request, revision }, sources, signal);
    const tree = await sources.tree({ ...request, revision }, signal);
    return { revision, ...(await this.#choose(request, { tree, refs })) };
  }

  async #choose(
    request: ManifestRequest,
    { tree, refs }: { tree: SourceTree; refs: RenderContext["refs"] },
  ): Promise<{ plugin: Plugin; context: RenderContext }> {
    const path = await findDirectory(request, tree);
    const source = await applyOverrides(request.source, { tree, path, appName: request.appName });
    const settings = request.settings ?? {};
    const question = { tree, path, source, settings };
    const { pipelines, choice } = this.#parts;
    const plugin = (await pipelines.find(question)) ?? (await choice.choose(question));
    const { appName, namespace, project, kubeVersion, apiVersions } = request;
    const env = buildEnv({ appName, namespace, project, revision: tree.revision, source });
    const context = {
      tree,
      path,
      refs,
      source,
      appName,
      namespace,
      project,
      kubeVersion,
      apiVersions,
      env,
      settings,
    };
    return { plugin, context };
  }

  async #run(work: Work, signal: AbortSignal): Promise<Done> {
    const { queue, cache, failures, log, metrics } = this.#parts;
    const { plugin, key, request } = work;
    const facts = { application: request.appName, plugin: plugin.name, revision: work.revision };
    // Another run may have ended since the cache was asked.
    const rendering = request.noCache ? undefined : cache.recent(key);
    if (rendering) return { rendering, timings: noRun };
    try {
      const { done, bytes } = await queue.run((queueMs) => this.#runNow(work, queueMs, signal), signal);
      failures.forget(key);
      const ms = done.timings.stages.reduce((sum, stage) => sum + stage.ms, 0);
      log.info(
        { ...facts, ms, queueMs: done.timings.queueMs, manifests: done.rendering.manifests.length },
        "rendered",
      );
      metrics.rendered(plugin.name, ms, done.timings.queueMs);
      await cache.set(key, done.rendering, { bytes, keepOnDisk: ms >= worthDiskMs && !plugin.sensitive });
      return done;
    } catch (failure) {
      if (!signal.aborted) {
        failures.keep(key, failure);
        log.info({ ...facts, error: failure }, "render failed");
        metrics.failed(plugin.name);
      }
      throw failure;
    }
  }

  async #runNow(
    { request, plugin, context, inputs }: Work,
    queueMs: number,
    signal: AbortSignal,
  ): Promise<{ done: Done; bytes: number }> {
    const refresh = request.noCache ? "hard" : "normal";
    const credentials = () =>
      Promise.reject(new CapstanError({ code: "UNIMPLEMENTED", what: "credentials" }));
    const {
      rendering,
      bytes,
      transferMs,
      ms,
      stages = [{ name: plugin.name, ms }],
    } = await runPlugin(plugin, { context, inputs, refresh, credentials }, { ...this.#parts.run, signal });
    return {
      done: { rendering, timings: { queueMs, transferMs, stages } },
      bytes,
    };
  }
}

function respond(of: {
  plugin: Plugin;
  rendering: Rendering;
  revision: string;
  cache: ManifestResponse["cache"];
  timings: RenderTimings;
}): ManifestResponse {
  const { plugin, rendering, revision, cache, timings } = of;
  const sourceType = plugin.sourceType ?? "Plugin";
  return { ...rendering, revision, sourceType, plugin: plugin.name, cache, timings };
}

/** Everything but the files that an answer can depend on. */
function digestRequest(
  request: ManifestRequest,
  revision: string,
  refs: Readonly<Record<string, SourceTree>>,
): string {
  const { repository, source, appName, namespace, project, kubeVersion, apiVersions, settings } = request;
  const refRevisions = Object.entries(refs).map(([name, tree]) => [name, tree.revision]);
  const refUrls = Object.entries(request.refSources ?? {}).map(([name, ref]) => [name, ref.repository.url]);
  const all = [
    repository.url,
    revision,
    source,
    appName,
    namespace,
    project,
    kubeVersion,
    apiVersions,
    settings,
    refRevisions,
    refUrls,
  ];
  return hash("sha256", canonicalJson(all), "hex");
}

/** The application's directory with links followed; it must be there, be a directory and stay in the repository. */
async function findDirectory({ source, repository }: ManifestRequest, tree: SourceTree): Promise<string> {
  const given = source.path ?? "";
  const path = given.startsWith("/") ? undefined : joinWithin("", given);
  if (path === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path: given, field: "source.path" });
  const entry = await followLinks(tree, path);
  if (entry?.kind === "directory") return entry.path;
  const facts = { path: given, repository: displayUrl(repository.url), revision: tree.revision };
  if (!entry) throw new CapstanError({ code: "PATH_MISSING", ...facts });
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "source.path",
    problem: `${given} is a file: it must be a directory`,
  });
}
