import { join } from "node:path";
import {
  defaultOptions,
  type ImageUpdater,
  startApplicationController,
  startApplicationSetController,
  startImageUpdater,
  startNotificationController,
  startProjectStatus,
  watchPluginServices,
} from "@capstan/controllers";
import { trackedInstance } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { HostCalls } from "@capstan/git-hosts";
import { createClusters, createControlState, type KubeClient, watchSettings } from "@capstan/kube";
import { crds } from "@capstan/model";
import { ImagePlans, openScripts } from "@capstan/planning";
import { type ApiServer, createApiServer, prepareControlNamespace } from "@capstan/servers";
import { Registry } from "prom-client";
import { accountSecrets } from "./account-secrets.ts";
import { type Listening, listenAnyway } from "./listen-anyway.ts";
import { localFolders } from "./local-folders.ts";
import { startLocalPlugins } from "./local-plugins.ts";
import { openRepoServer, type RepoSources } from "./open-repo-server.ts";
import { OperationStore } from "./operation-store.ts";
import { openPluginAccess } from "./plugin-access.ts";
import { pluginAccount } from "./plugin-account.ts";
import { serviceSurroundings } from "./service-surroundings.ts";
import { type SystemInput, userAgentOf } from "./system-input.ts";
import { watchLocalRepositories } from "./watch-local-repositories.ts";
import { watchPipelines } from "./watch-pipelines.ts";

const crdLimitMs = 30_000;
const uiDir = join(import.meta.dirname, "..", "..", "packages", "ui", "dist");

interface OnCluster {
  kube: KubeClient;
  /** Path of the kubeconfig that reaches it. */
  kubeconfig: string;
  isSimulated: boolean;
  /** Somebody else has put the CRDs there. */
  isInstalled?: boolean;
}

interface ControlPlane extends AsyncDisposable {
  readonly api: ApiServer;
}

/** All parts of Capstan itself, listening. */
export async function startControlPlane(
  input: SystemInput,
  on: OnCluster,
): Promise<Listening & { metricsUrl: string | undefined } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { api } = opened.use(await openControlPlane(input, on));
  const { host, port } = input.options;
  const listening = await listenAnyway(api, { host, port });
  const metrics = await listenToMetrics(api, input.options);
  const closing = opened.move();
  return {
    ...listening,
    moved: [...listening.moved, ...(metrics?.moved ?? [])],
    metricsUrl: metrics?.url,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function listenToMetrics(
  api: ApiServer,
  { metrics }: SystemInput["options"],
): Promise<Listening | undefined> {
  return metrics && listenAnyway({ listen: (address) => api.listenMetrics(address) }, metrics);
}

/** The parts in the order in which they need each other; the loops only with `options.controllers`. */
export async function openControlPlane(
  input: SystemInput,
  { kube, kubeconfig, isSimulated, isInstalled = false }: OnCluster,
): Promise<ControlPlane> {
  const { options, adminPassword, version, clock, log, signal } = input;
  const { namespace, overlay } = options;
  await using opened = new AsyncDisposableStack();
  const metrics = new Registry();
  const folders = await localFolders(options);
  let sources: RepoSources | undefined;
  const repo = opened.use(openRepoServer(input, metrics, { folders, sources: () => sources }));
  if (!isInstalled) await installCrds({ kube, clock, signal });
  await prepareControlNamespace({ kube, namespace, adminPassword, clock, signal });
  const pipelines = opened.use(watchPipelines({ kube, namespace, clock, log }));
  const services = opened.use(watchPluginServices({ kube, namespace, clock, log }));
  await services.ready(signal);
  const settings = opened.use(watchSettings({ client: kube, namespace, overlay, clock, log }));
  await settings.ready(signal);
  const account = opened.use(pluginAccount(input, { kube, kubeconfig }));
  opened.use(await startLocalPlugins(input, { settings, account }));
  const readSecret = accountSecrets(input, account);
  sources = {
    pipelines,
    services,
    readSecret,
    pluginAccess: await openPluginAccess(options, settings, input),
  };
  const [userAgent, readInstance, env] = [userAgentOf(input), trackedInstance, process.env];
  const clusters = opened.use(
    createClusters({ local: kube, settings, readInstance, userAgent, clock, log, env }),
  );
  const scripts = opened.use(openScripts({ settings, clock, log }));
  const live = opened.use(createControlState({ client: kube, clock, log }));
  await Promise.all([live.ready(signal), clusters.ownLive().ready(signal)]);
  const records = opened.use(new OperationStore(join(options.dataDir, "operations.db")));
  const hosts = new HostCalls(clock, process.env);
  const shared = { kube, clusters, repo, hosts, settings, scripts, records, clock, log, metrics };
  const { host, allowedHosts, trustedProxies, place } = options;
  const names = { allowedHosts: [host, ...allowedHosts], trustedProxies };
  const makeCertificate = async (served: readonly string[]) => {
    const { createSelfMadeCertificate } = await import("@capstan/cluster");
    return createSelfMadeCertificate({ commonName: "argocd-server", names: served }, clock.now());
  };
  const page = {
    controlNamespace: namespace,
    uiDir,
    version,
    place,
    simulatedCluster: isSimulated,
    ...names,
    ...(options.insecure ? {} : { makeCertificate }),
  };
  const plans = new ImagePlans({ kube, settings, clock, namespace, env });
  let updater: ImageUpdater | undefined;
  const images = { images: plans, imagePushed: (image: string) => updater?.pushed(image) };
  const api = opened.use(createApiServer({ ...shared, ...page, ...images, live }));
  if (options.controllers) {
    const loop = { ...defaultOptions, waveDelayMs: options.waveDelayMs };
    const watched = { pipelines, pluginServices: services };
    const of = { ...shared, ...watched, namespace, options: loop, signal };
    opened.use(await startApplicationController(of));
    opened.use(startApplicationSetController({ ...of, live }));
    opened.use(startNotificationController({ ...of, live, surroundings: serviceSurroundings(env) }));
    updater = opened.use(startImageUpdater({ ...of, live, plans }));
    opened.use(startProjectStatus(of));
    const moved = (url: string, ref: string) => api.noticePush(url, ref);
    opened.use(watchLocalRepositories({ live, folders, moved, log }));
  }
  const closing = opened.move();
  return { api, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** A real API server serves a new kind some time after its CRD is there. */
async function installCrds({
  kube,
  clock,
  signal,
}: {
  kube: KubeClient;
  clock: Clock;
  signal: AbortSignal;
}): Promise<void> {
  const wanted = crds();
  await Promise.all(
    wanted.map((crd) => kube.apply(crd, { fieldManager: "capstan-install", force: true, signal })),
  );
  const limited = AbortSignal.any([signal, AbortSignal.timeout(crdLimitMs)]);
  for (;;) {
    const served = await kube.discovery.refresh(limited);
    if (wanted.every(({ spec }) => served.some(({ kind, group }) => isSame(spec, { kind, group })))) return;
    await clock.sleep(50, limited);
  }
}

function isSame(spec: unknown, { kind, group }: { kind: string; group: string }): boolean {
  return isRecord(spec) && isRecord(spec.names) && spec.names.kind === kind && spec.group === group;
}
