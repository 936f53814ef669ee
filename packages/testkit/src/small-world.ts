import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@capstan/cluster";
import {
  type ApplicationController,
  type ApplicationControllerInput,
  type ApplicationOptions,
  startApplicationController,
} from "@capstan/controllers";
import { trackedInstance } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import {
  type Clusters,
  createClusters,
  createKubeClient,
  httpTransport,
  type KubeClient,
  type KubeRequest,
  type KubeResponse,
  type LiveState,
  type SettingsSource,
  type Transport,
  watchSettings,
} from "@capstan/kube";
import { crds } from "@capstan/model";
import { openScripts, type Scripts } from "@capstan/planning";
import { createRepoServer, type RepoServerOptions } from "@capstan/render";
import type { RepoServer } from "@capstan/wire";
import { Registry } from "prom-client";
import { sketchProject } from "./applications.ts";
import { builtInPlugins } from "./built-in-plugins.ts";
import { eventually, realClock } from "./real-clock.ts";
import { startRealCluster } from "./real-cluster.ts";

export interface LoggedLine {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  facts: Readonly<Record<string, unknown>>;
}

export interface SmallWorldOptions {
  podReadyDelayMs?: number;
  controller?: Partial<ApplicationOptions>;
  repoServer?: Partial<RepoServerOptions>;
  /** In place of the one that renders. */
  repo?: RepoServer;
  /** For everything but the cluster itself. */
  clock?: Clock;
  pluginServices?: NonNullable<ApplicationControllerInput["pluginServices"]>;
  records?: NonNullable<ApplicationControllerInput["records"]>;
  /** What outlives the controller. */
  standings?: NonNullable<ApplicationControllerInput["standings"]>;
  /** To a cluster in place of the embedded one: without CRDs and a control namespace, which are made. */
  transport?: Transport;
  /** Called for each request to the cluster, with the way to it; its answer takes the place of the cluster's. */
  intercept?: (request: KubeRequest, send: Transport) => Promise<KubeResponse | undefined> | undefined;
}

/**
 * The parts of the product in one process on an embedded cluster without a socket; with CAPSTAN_TEST_CLUSTER=real on a
 * control plane with a simulated node, as compat/sync-rows/run.ts plays what holds on both.
 */
export interface SmallWorld extends AsyncDisposable {
  readonly kube: KubeClient;
  /** How `kube` reaches the cluster, for other clients of it. */
  readonly transport: Transport;
  readonly clusters: Clusters;
  /** What the cluster holds. */
  readonly cluster: { readonly live: LiveState };
  readonly settings: SettingsSource;
  readonly scripts: Scripts;
  readonly repo: RepoServer;
  readonly metrics: Registry;
  readonly log: readonly LoggedLine[];
  /** Requests to the cluster so far, watches left out. */
  readonly requests: readonly KubeRequest[];
  controller: ApplicationController;
  /** Stops the controller and starts another one that knows nothing. */
  restartController(): Promise<void>;
  stopController(): Promise<void>;
}

const namespace = "argocd";

export async function openSmallWorld(options: SmallWorldOptions = {}): Promise<SmallWorld> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-world-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const log: LoggedLine[] = [];
  const requests: KubeRequest[] = [];
  const logger = recorder(log);
  const transport = await openCluster(opened, { dataDir, requests, options });
  const kube = createKubeClient({
    transport,
    userAgent: "test",
    clock: realClock,
    tellsForWhom: true,
    sharesWatched: true,
  });
  await prepare(kube);
  const metrics = new Registry();
  const renderDir = join(dataDir, "render");
  await mkdir(renderDir);
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1" };
  const own = { dataDir: renderDir, clock: realClock, log: logger, env, plugins: builtInPlugins };
  const repo = options.repo ?? opened.use(await createRepoServer({ ...own, ...options.repoServer }));
  const shared = { clock: options.clock ?? realClock, log: logger };
  const settings = opened.use(watchSettings({ client: kube, namespace, ...shared }));
  const clusters = opened.use(
    createClusters({ local: kube, settings, readInstance: trackedInstance, userAgent: "test", ...shared }),
  );
  // Tests are not ended by a busy machine: time is the real one here, whatever the world's is.
  const scripts = opened.use(openScripts({ settings, clock: realClock, log: logger }));
  const start = () =>
    startApplicationController({
      kube,
      clusters,
      repo,
      settings,
      scripts,
      metrics,
      namespace,
      signal: new AbortController().signal,
      ...shared,
      ...(options.controller ? { options: options.controller } : {}),
      ...(options.records ? { records: options.records } : {}),
      ...(options.standings ? { standings: options.standings } : {}),
      ...(options.pluginServices ? { pluginServices: options.pluginServices } : {}),
    });
  const controller = await start();
  const world: SmallWorld = {
    kube,
    transport,
    clusters,
    cluster: { live: clusters.ownLive() },
    settings,
    scripts,
    repo,
    metrics,
    log,
    requests,
    controller,
    async stopController() {
      await world.controller[Symbol.asyncDispose]();
      metrics.clear();
    },
    async restartController() {
      await world.stopController();
      world.controller = await start();
    },
    [Symbol.asyncDispose]: async () => closing.disposeAsync(),
  };
  opened.defer(() => world.controller[Symbol.asyncDispose]());
  const closing = opened.move();
  return world;
}

interface ClusterInput {
  dataDir: string;
  requests: KubeRequest[];
  options: SmallWorldOptions;
}

async function openCluster(opened: AsyncDisposableStack, input: ClusterInput): Promise<Transport> {
  const { requests, options } = input;
  const isReal = process.env.CAPSTAN_TEST_CLUSTER === "real";
  const send = options.transport ?? (await (isReal ? openReal(opened) : openEmbedded(opened, input)));
  return async (request: KubeRequest): Promise<KubeResponse> => {
    if (!request.url.includes("watch=true")) requests.push(request);
    return (await options.intercept?.(request, send)) ?? send(request);
  };
}

async function openReal(opened: AsyncDisposableStack): Promise<Transport> {
  const { url, token } = opened.use(await startRealCluster({ nodes: true }));
  return opened.use(httpTransport({ server: url, bearerToken: token, insecure: true }, { clock: realClock }));
}

async function openEmbedded(opened: AsyncDisposableStack, input: ClusterInput): Promise<Transport> {
  const dataDir = join(input.dataDir, "cluster");
  await mkdir(dataDir);
  const cluster = await startCluster({
    dataDir,
    clock: realClock,
    podReadyDelayMs: input.options.podReadyDelayMs ?? 20,
  });
  opened.defer(() => cluster.close());
  return (request) => cluster.handle(request);
}

/** CRDs, the control namespace and the default project, as an installation has them. */
async function prepare(kube: KubeClient): Promise<void> {
  const signal = AbortSignal.timeout(100_000);
  await Promise.all(crds().map((crd) => kube.apply(crd, { fieldManager: "test", force: true, signal })));
  // A real API server serves a kind a moment after its definition.
  const describe = () => "the definitions are not served";
  await eventually(
    async () => (await kube.discovery.refresh(signal)).some(({ kind }) => kind === "AppProject") || undefined,
    { signal, describe },
  );
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, { signal });
  await kube.create(sketchProject("default"), { signal });
}

function recorder(log: LoggedLine[]) {
  const at = (level: LoggedLine["level"]) => (facts: object, message: string) => {
    log.push({ level, message, facts: { ...facts } });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
