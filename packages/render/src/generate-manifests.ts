import { BoundedMap, type Clock, SharedCalls, tellStep, traced } from "@capstan/flow";
import { storesFor } from "@capstan/model";
import type { Elsewhere, Inputs, Log, Plugin, RenderContext, SourceTree, Stage } from "@capstan/plugin-kit";
import type {
  AnswerIdentity,
  IdentifyRequest,
  ManifestRequest,
  ManifestResponse,
  RenderNote,
  RenderTimings,
} from "@capstan/wire";
import { buildEnv } from "./build-env.ts";
import type { FailureCache } from "./cache/failure-cache.ts";
import { keptUntil, type ManifestCache, type Rendering } from "./cache/manifest-cache.ts";
import type { PluginChoice } from "./choose/choose-plugin.ts";
import { applyOverrides } from "./choose/source-overrides.ts";
import { openRefs } from "./fetch/ref-sources.ts";
import { repositoryKey } from "./fetch/repository-url.ts";
import type { Sources } from "./fetch/sources.ts";
import type { Submodules } from "./fetch/submodules.ts";
import { findDirectory } from "./find-directory.ts";
import { identifyAnswer } from "./identify-answer.ts";
import { readInputs } from "./inputs/digest-inputs.ts";
import { underRules } from "./inputs/digest-request.ts";
import type { RenderKey, RenderKeys } from "./inputs/render-keys.ts";
import { fetchContentAhead, UnfetchedContent } from "./inputs/unfetched-content.ts";
import type { RenderMetrics } from "./metrics.ts";
import type { Pipelines } from "./pipeline/pipelines.ts";
import { runPlugin } from "./pipeline/run-plugin.ts";
import type { InstalledPlugins } from "./remote/installed-plugins.ts";
import type { RenderQueues } from "./run/render-queues.ts";
import type { RunOptions } from "./run/running-stage.ts";
import type { TakeNote } from "./run/unsaid-secrets.ts";

export interface GenerateParts {
  clock: Clock;
  log: Log;
  metrics: RenderMetrics;
  sources: Sources;
  submodules: Submodules;
  /** What is installed now. */
  installed(signal: AbortSignal): Promise<InstalledPlugins>;
  choice: PluginChoice;
  pipelines: Pipelines;
  keys: RenderKeys;
  cache: ManifestCache;
  failures: FailureCache;
  queues: RenderQueues;
  /** What applications may read whose project says nothing. */
  secretStores: string;
  credentials(request: ManifestRequest, signal: AbortSignal): Stage["credentials"];
  elsewhere(request: ManifestRequest, signal: AbortSignal): Elsewhere;
  run: RunOptions;
}

interface Work {
  request: ManifestRequest;
  revision: string;
  plugin: Plugin;
  context: RenderContext;
  inputs: Inputs;
  key: RenderKey;
}

interface Done {
  rendering: Rendering;
  /** Under which it is kept. */
  key: string;
  timings: Pick<RenderTimings, "queueMs" | "transferMs" | "stages">;
  notes?: readonly RenderNote[];
}

/** Rendering again what took less than this costs less than reading it from disk. */
const worthDiskMs = 20;
const maxNotes = 10;
const noRun: Done["timings"] = { queueMs: 0, transferMs: 0, stages: [] };

/** Answers with manifests in five steps: fetch, choose, inputs, cache, run. */
export class ManifestGenerator {
  readonly #parts: GenerateParts;
  readonly #unfetched = new UnfetchedContent();
  readonly #renders = new SharedCalls<Done>();
  /** What an earlier identical request came down to: at one commit the answer cannot change. */
  readonly #answered = new BoundedMap<{ key: string; plugin: Plugin }>(100_000);

  constructor(parts: GenerateParts) {
    this.#parts = parts;
  }

  /** Until what still runs has ended and cleared up. */
  async settle(): Promise<void> {
    await this.#renders.settle();
    await this.#parts.run.later.settle();
  }

  /** What its answer would be known by. */
  async identify({ known, ...request }: IdentifyRequest, signal: AbortSignal): Promise<AnswerIdentity> {
    const { identity, ...of } = await identifyAnswer(this.#parts, request, signal);
    if (known.id === identity.id) return identity;
    const { revision } = identity;
    const tree = await this.#tree({ ...request, revision }, signal);
    const { plugin, context } = await this.#choose(request, { ...of, tree, signal });
    const inputs = await readInputs(plugin, context);
    const { candidates } = await this.#key(request, { plugin, context, inputs });
    return candidates.includes(known.inputs) ? { ...identity, inputs: known.inputs } : identity;
  }

  async generate(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResponse> {
    const { clock, failures, metrics } = this.#parts;
    const started = clock.now();
    const { identity, refs, installed } = await identifyAnswer(this.#parts, request, signal);
    const { id: question, revision, ...asked } = identity;
    const answer = (
      plugin: Plugin,
      { rendering, key, timings, notes }: Done,
      spent: { fetchMs: number; chooseMs: number },
    ) => {
      const cache = timings === noRun ? "hit" : "miss";
      metrics.answered(cache);
      tellStep({ cache, plugin: plugin.name, revision, manifests: rendering.manifests.length });
      this.#answered.set(question, { key, plugin });
      const told = notes === undefined ? {} : { notes };
      const { until, ...made } = rendering;
      const valid = until === undefined ? {} : { validForMs: Math.max(0, until - clock.now()) };
      const isLasting = until === undefined && notes === undefined;
      const all = {
        ...made,
        ...valid,
        ...told,
        ...asked,
        ...(isLasting ? { key: { id: question, inputs: key } } : {}),
      };
      return respond(plugin, { ...all, revision, cache, timings: { ...timings, ...spent } });
    };
    const earlier = request.noCache ? undefined : this.#answered.get(question);
    const kept = earlier && (await this.#kept([earlier.key]));
    if (earlier && kept) return answer(earlier.plugin, kept, { fetchMs: clock.now() - started, chooseMs: 0 });
    const tree = await traced({ name: "fetch" }, () => this.#tree({ ...request, revision }, signal));
    const fetchMs = clock.now() - started;
    const of = { tree, refs, installed, signal };
    const { plugin, context } = await traced({ name: "choose" }, () => this.#choose(request, of));
    const inputs = await readInputs(plugin, context);
    await fetchContentAhead(plugin, context, inputs);
    await this.#unfetched.refuse(plugin, context, inputs);
    const key = await this.#key(request, { plugin, context, inputs });
    const spent = { fetchMs, chooseMs: clock.now() - started - fetchMs };
    const known = request.noCache ? undefined : await this.#kept(key.candidates);
    if (known) return answer(plugin, known, spent);
    if (!request.noCache) failures.throwIfKept(failureKey(request, key.call));
    const work: Work = { request, revision, plugin, context, inputs, key };
    const call = request.noCache ? `${key.call} anew` : key.call;
    const run = (inner: AbortSignal) =>
      traced({ name: "run", facts: { plugin: plugin.name } }, () => this.#run(work, inner));
    const done = await this.#renders.join(call, run, signal);
    return answer(plugin, done, spent);
  }

  #key(request: ManifestRequest, { plugin, context, inputs }: Pick<Work, "plugin" | "context" | "inputs">) {
    return this.#parts.keys.of(plugin, context, underRules(request, inputs));
  }

  async #tree(request: ManifestRequest & { revision: string }, signal: AbortSignal): Promise<SourceTree> {
    const { sources, submodules } = this.#parts;
    const tree = await sources.tree(request, signal);
    return submodules.complete(tree, { request, repository: request.repository }, signal);
  }

  async #kept(keys: readonly string[]): Promise<Done | undefined> {
    for (const key of keys) {
      const rendering = await this.#parts.cache.get(key);
      if (rendering) return { rendering, key, timings: noRun };
    }
    return undefined;
  }

  /** What would render the request, without rendering. */
  async open(
    request: ManifestRequest,
    signal: AbortSignal,
  ): Promise<{ revision: string; plugin: Plugin; context: RenderContext }> {
    const { sources } = this.#parts;
    const { revision } = await sources.resolve(request, signal);
    const refs = await openRefs({ ...request, revision }, this.#parts, signal);
    const tree = await this.#tree({ ...request, revision }, signal);
    const installed = await this.#parts.installed(signal);
    return { revision, ...(await this.#choose(request, { tree, refs, installed, signal })) };
  }

  async #choose(
    request: ManifestRequest,
    of: {
      tree: SourceTree;
      refs: RenderContext["refs"];
      installed: InstalledPlugins;
      signal: AbortSignal;
    },
  ): Promise<{ plugin: Plugin; context: RenderContext }> {
    const { tree, refs, installed, signal } = of;
    const path = await findDirectory(request, tree);
    const source = await applyOverrides(request.source, { tree, path, appName: request.appName });
    const { appName, namespace, project, kubeVersion, apiVersions, settings = {} } = request;
    const { manifestGeneratePaths } = request;
    const env = buildEnv({ appName, namespace, project, revision: tree.revision, source });
    const asked = {
      ...{ appName, namespace, project, kubeVersion, apiVersions, env, settings },
      secretStores: storesFor(request, this.#parts.secretStores),
      ...(manifestGeneratePaths === undefined ? {} : { manifestGeneratePaths }),
    };
    const [context, { pipelines }] = [{ tree, path, refs, source, ...asked }, this.#parts];
    const choose = (one: RenderContext) => this.#parts.choice.choose(one, installed, signal);
    const plugin =
      (await pipelines.find(context, choose)) ?? (await pipelines.expanded(await choose(context), context));
    return { plugin, context };
  }

  async #run(work: Work, signal: AbortSignal): Promise<Done> {
    const { queues, cache, failures, log, metrics, clock } = this.#parts;
    const { plugin, request } = work;
    const { candidates, call } = work.key;
    const facts = { application: request.appName, plugin: plugin.name, revision: work.revision };
    // Another run may have ended since the cache was asked.
    for (const key of request.noCache ? [] : candidates) {
      const rendering = cache.recent(key);
      if (rendering) return { rendering, key, timings: noRun };
    }
    try {
      const asked = clock.now();
      const { done, bytes } = await queues
        .of(plugin)
        .run(() => this.#runNow(work, clock.now() - asked, signal), signal);
      failures.forget(failureKey(request, call));
      const ms = done.timings.stages.reduce((sum, stage) => sum + stage.ms, 0);
      log.info(
        { ...facts, ms, queueMs: done.timings.queueMs, manifests: done.rendering.manifests.length },
        "rendered",
      );
      metrics.rendered(plugin.name, ms, done.timings.queueMs);
      await cache.set(done.key, done.rendering, {
        bytes,
        keepOnDisk: ms >= worthDiskMs && !plugin.sensitive,
      });
      return done;
    } catch (failure) {
      if (!signal.aborted) {
        failures.keep(failureKey(request, call), failure);
        log.info({ ...facts, error: failure }, "render failed");
        metrics.failed(plugin.name);
      }
      throw failure;
    }
  }

  async #runNow(
    { request, plugin, context, inputs, key }: Work,
    waitedMs: number,
    signal: AbortSignal,
  ): Promise<{ done: Done; bytes: number }> {
    const refresh = request.noCache ? "hard" : "normal";
    const credentials = this.#parts.credentials(request, signal);
    const elsewhere = this.#parts.elsewhere(request, signal);
    const notes: RenderNote[] = [];
    const note: TakeNote = (message, reason = "PluginAskedAgain") => {
      if (notes.length < maxNotes) notes.push({ reason, message });
    };
    const run = await runPlugin(
      plugin,
      { context, inputs, refresh, credentials, ...elsewhere, note },
      { ...this.#parts.run, signal },
    );
    const { rendering: made, bytes, transferMs, ms, stages = [{ name: plugin.name, ms }] } = run;
    const { until } = made;
    const { isSensitive: sensitive } = run;
    const rendering = { ...made, ...keptUntil(this.#parts.clock, { sensitive, until }) };
    const timings = { queueMs: waitedMs + run.queueMs, transferMs, stages };
    tellStep({ queueMs: timings.queueMs, transferMs });
    const told = notes.length === 0 ? {} : { notes };
    return { done: { rendering, key: await key.keep({ ...run, rendering }), timings, ...told }, bytes };
  }
}

/** What failed with one repository's address and credentials says nothing of another with the same files. */
function failureKey({ repository }: ManifestRequest, call: string): string {
  return `${repositoryKey(repository.url)} ${call}`;
}

function respond(
  { name, tool }: Plugin,
  rest: Omit<ManifestResponse, "plugin" | "sourceType">,
): ManifestResponse {
  return { ...rest, sourceType: tool?.type ?? "Plugin", plugin: name };
}
