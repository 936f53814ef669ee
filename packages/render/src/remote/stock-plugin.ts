import { hash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BoundedMap, Clock, Limiter } from "@capstan/flow";
import {
  CapstanError,
  isCapstanError,
  type ParameterAnnouncement,
  parsePlacedManifests,
} from "@capstan/model";
import {
  announcementEnv,
  discoveryEnv,
  type EnvVariable,
  type Generated,
  type GeneratedManifest,
  type Inputs,
  type Log,
  namedQueue,
  type Plugin,
  pluginEnv,
  type RenderContext,
  type Stage,
} from "@capstan/plugin-kit";
import type { cmp } from "@capstan/wire/plugin-protocols";
import type { Archives } from "../transfer/archives.ts";
import type { TreeArchive } from "../transfer/tree-archive.ts";
import { type CallLimits, callPool, type PluginPool } from "./plugin-pool.ts";
import { readAnnouncements } from "./read-announcements.ts";
import { annotatedInputs } from "./remote-inputs.ts";
import type { Rpc } from "./rpc.ts";

/** What remote plugins share. */
export interface RemoteParts {
  clock: Clock;
  log: Log;
  /** Counts content that goes to a plugin. */
  sent(plugin: string, bytes: number): void;
  archives: Archives;
  /** By plugin, tree and environment: whether a source is the plugin's. */
  verdicts: BoundedMap<boolean>;
  /** `--plugin-tar-exclude`. */
  exclude: readonly string[];
  /** `--plugin-use-manifest-generate-paths`: who names no inputs is given only what that annotation names. */
  givesGeneratePaths: boolean;
  limits: { timeoutMs: number; maxOutputBytes: number; maxBytes: number; maxFiles: number };
}

export interface StockFacts {
  name: string;
  identity: string;
  hasDiscovery: boolean;
  wantsCredentials: boolean;
  concurrency: number;
}

type Request = MessageInitShape<typeof cmp.AppStreamRequestSchema>;

/** A plugin of a stock argocd-cmp-server (Argo CD: cmpserver/plugin/plugin.proto). */
export function stockPlugin(pool: PluginPool, facts: StockFacts, parts: RemoteParts): Plugin {
  const remote = new StockPlugin(pool, facts, parts);
  return {
    name: facts.name,
    identity: facts.identity,
    concurrency: facts.concurrency,
    inputs: (context) => annotatedInputs(context, facts.identity),
    generate: (context, stage) => remote.generate(context, stage),
    announce: (context, signal) => remote.announce(context, signal),
    ...(facts.hasDiscovery ? { matches: (context, signal) => remote.matches(context, signal) } : {}),
  };
}

/** Looks for a match and for parameters: renders have a queue of their own. */
export function askingQueue(plugin: string, atOnce: number): Limiter {
  return namedQueue({ name: `queue of questions to ${plugin}`, atOnce, limit: maxQuestions });
}

const maxQuestions = 10_000;

/** What a plugin that names no inputs is given: Argo CD gives everything unless it is told otherwise. */
export function givenPaths(
  { inputs }: Pick<Stage, "inputs">,
  { givesGeneratePaths }: Pick<RemoteParts, "givesGeneratePaths">,
): readonly string[] {
  return givesGeneratePaths ? inputs.paths : [""];
}

/** For commands, which see no field of a protocol; Argo CD's has none. No part of a cache key. */
export function refreshEnv({ refresh }: Pick<Stage, "refresh">): EnvVariable[] {
  return refresh === "hard" ? [{ name: "CAPSTAN_REFRESH", value: refresh }] : [];
}

class StockPlugin {
  readonly #pool: PluginPool;
  readonly #facts: StockFacts;
  readonly #parts: RemoteParts;
  readonly #asking: Limiter;

  constructor(pool: PluginPool, facts: StockFacts, parts: RemoteParts) {
    this.#asking = askingQueue(facts.name, facts.concurrency);
    this.#pool = pool;
    this.#facts = facts;
    this.#parts = parts;
  }

  async generate(context: RenderContext, stage: Stage): Promise<Generated> {
    const { name, wantsCredentials } = this.#facts;
    const { clock, limits } = this.#parts;
    const access = wantsCredentials ? Object.entries(await stage.credentials()) : [];
    const credentials = access.map(([variable, value]) => ({ name: variable, value }));
    const env = [...pluginEnv(context), ...refreshEnv(stage), ...credentials];
    let [sentAt, started, queueMs] = [clock.now(), clock.now(), 0];
    const onTurn = (waitedMs: number) => {
      [sentAt, started, queueMs] = [clock.now(), clock.now(), queueMs + waitedMs];
    };
    const onChunk = () => {
      sentAt = clock.now();
    };
    const call = {
      context,
      paths: givenPaths(stage, this.#parts),
      env,
      signal: stage.signal,
      onTurn,
      onChunk,
      note: stage.note,
    };
    const { manifests } = await this.#send(call, (rpc, requests, to) =>
      rpc.stock.generateManifest(requests, to),
    );
    return {
      manifests: readManifests(name, manifests, limits.maxOutputBytes),
      commands: [],
      timings: [
        { name: "queue", ms: queueMs },
        { name: "transfer", ms: sentAt - started },
      ],
    };
  }

  async matches(context: RenderContext, signal: AbortSignal): Promise<boolean> {
    const { verdicts } = this.#parts;
    const env = context.source.plugin ? pluginEnv(context) : discoveryEnv(context.env);
    const root = await context.tree.entry("");
    const key = hash("sha256", JSON.stringify([this.#facts.identity, root?.digest, context.path, env]));
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    const call = { context, paths: [""], env, signal };
    const { isSupported } = await this.#asking.run(
      () => this.#send(call, (rpc, requests, to) => rpc.stock.matchRepository(requests, to)),
      signal,
    );
    verdicts.set(key, isSupported);
    return isSupported;
  }

  async announce(context: RenderContext, signal: AbortSignal): Promise<ParameterAnnouncement[]> {
    const call = { context, paths: [""], env: announcementEnv(context), signal };
    const { parameterAnnouncements } = await this.#asking.run(
      () => this.#send(call, (rpc, requests, to) => rpc.stock.getParametersAnnouncement(requests, to)),
      signal,
    );
    return readAnnouncements(parameterAnnouncements);
  }

  #send<Value>(
    call: {
      context: RenderContext;
      paths: Inputs["paths"];
      env: readonly EnvVariable[];
      signal: AbortSignal;
      onTurn?: (waitedMs: number) => void;
      onChunk?: () => void;
      note?: (text: string) => void;
    },
    ask: (rpc: Rpc, requests: AsyncIterable<Request>, limits: CallLimits) => Promise<Value>,
  ): Promise<Value> {
    const { context, paths, env, signal } = call;
    const { archives, exclude, limits, clock, log, sent } = this.#parts;
    const { name: plugin } = this.#facts;
    const noted = call.note ? { note: call.note } : {};
    const poolCall = { plugin, timeoutMs: limits.timeoutMs, clock, log, signal, isPaced: true, ...noted };
    const onChunk = (bytes: number) => {
      sent(plugin, bytes);
      call.onChunk?.();
    };
    return archives.with(
      { tree: context.tree, selection: { paths, exclude } },
      (archive) =>
        callPool(this.#pool, poolCall, (rpc, to) => {
          call.onTurn?.(to.waitedMs);
          return ask(rpc, requestsOf(archive, { path: context.path, env, onChunk }), to);
        }),
      signal,
    );
  }
}

/** Metadata first, then the archive (util/cmp/stream.go). */
async function* requestsOf(
  { checksum, store }: TreeArchive,
  { path, env, onChunk }: { path: string; env: readonly EnvVariable[]; onChunk(bytes: number): void },
): AsyncGenerator<Request> {
  const metadata = {
    appName: path.slice(path.lastIndexOf("/") + 1) || ".",
    appRelPath: path || ".",
    checksum,
    size: BigInt(store.bytes),
    env: [...env],
  };
  yield { request: { case: "metadata", value: metadata } };
  for await (const chunk of store.read()) {
    yield { request: { case: "file", value: { chunk } } };
    onChunk(chunk.length);
  }
}

/** Each text is a stream of YAML or JSON documents (reposerver runConfigManagementPluginSidecars). */
function readManifests(plugin: string, texts: readonly string[], limitBytes: number): GeneratedManifest[] {
  const what = `the output of plugin ${plugin}`;
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (bytes > limitBytes) throw new CapstanError({ code: "OUTPUT_TOO_LARGE", what, limitBytes });
  return texts.flatMap((text, index) => {
    try {
      return parsePlacedManifests(text, { file: what }).map(({ manifest }) => ({ manifest }));
    } catch (error) {
      if (!isCapstanError(error) || texts.length === 1) throw error;
      const { failure } = error;
      if (failure.code !== "YAML_INVALID" && failure.code !== "MANIFEST_INVALID") throw error;
      // A stock server sends each document as a text of its own.
      throw new CapstanError({ ...failure, document: index + 1 }, error);
    }
  });
}
