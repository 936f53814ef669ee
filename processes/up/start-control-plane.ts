import { join } from "node:path";
import type { KubeClient } from "@capstan/kube";
import { ImagePlans } from "@capstan/planning";
import { type ApiServer, createApiServer, prepareControlNamespace } from "@capstan/servers";
import type { RepoServer } from "@capstan/wire";
import { installCrds } from "../surroundings/install-crds.ts";
import { openMeans } from "../surroundings/open-means.ts";
import { openPluginSources } from "../surroundings/open-plugin-sources.ts";
import { giveBackMemory, keepHeapSmall } from "../surroundings/own-process.ts";
import { processRegistry } from "../surroundings/process-registry.ts";
import { accountSecrets } from "./account-secrets.ts";
import { type Listening, listenAnyway } from "./listen-anyway.ts";
import { localFolders } from "./local-folders.ts";
import { startLocalPlugins } from "./local-plugins.ts";
import { openRepoServer, type RepoSources } from "./open-repo-server.ts";
import { OperationStore } from "./operation-store.ts";
import { openPluginAccess } from "./plugin-access.ts";
import { pluginAccount } from "./plugin-account.ts";
import { StandingFile } from "./standing-file.ts";
import type { SystemInput } from "./system-input.ts";
import { watchLocalRepositories } from "./watch-local-repositories.ts";

const uiDir = join(import.meta.dirname, "..", "..", "packages", "ui", "dist");

interface OnCluster {
  kube: KubeClient;
  /** Path of the kubeconfig that reaches it. */
  kubeconfig: string;
  isSimulated: boolean;
  /** Somebody else has put the CRDs there. */
  isInstalled?: boolean;
  /** Runs elsewhere; its caller closes it. Default: one is started. */
  repo?: RepoServer | undefined;
}

interface ControlPlane extends AsyncDisposable {
  readonly api: ApiServer;
}

interface Serving extends Listening, AsyncDisposable, Pick<ApiServer, "leave"> {
  metricsUrl: string | undefined;
}

/** All parts of Capstan itself, listening. */
export async function startControlPlane(input: SystemInput, on: OnCluster): Promise<Serving> {
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
    leave: (times) => api.leave(times),
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
export async function openControlPlane(input: SystemInput, on: OnCluster): Promise<ControlPlane> {
  const { kube, kubeconfig, isSimulated, isInstalled = false } = on;
  const { options, adminPassword, clock, log, signal } = input;
  const { namespace } = options;
  const isCompact = !options.controllers;
  if (isCompact) keepHeapSmall();
  await using opened = new AsyncDisposableStack();
  const metrics = processRegistry();
  const folders = await localFolders(options);
  let sources: RepoSources | undefined;
  const open = () => opened.use(openRepoServer(input, metrics, { folders, sources: () => sources }));
  const repo = on.repo ?? open();
  if (!isInstalled) await installCrds({ kube, clock, signal });
  await prepareControlNamespace({ kube, namespace, adminPassword, clock, signal });
  const plugins = opened.use(await openPluginSources({ kube, namespace, clock, log }, signal));
  const means = opened.use(await openMeans({ ...input, kube, repo, metrics, isCompact }));
  const { settings, clusters, live } = means;
  if (!on.repo) {
    const account = opened.use(pluginAccount(input, { kube, kubeconfig }));
    opened.use(await startLocalPlugins(input, { settings, account }));
    const pluginAccess = await openPluginAccess(options, settings, input);
    sources = { ...plugins, pluginAccess, readSecret: accountSecrets(input, account) };
  }
  await clusters.ownLive().ready(signal);
  const records = opened.use(new OperationStore(join(options.dataDir, "operations.db")));
  const { env } = process;
  const plans = new ImagePlans({ ...means, env });
  const page = pageOf(input, isSimulated);
  const api = opened.use(createApiServer({ ...means, ...page, images: plans, records }));
  if (options.controllers) {
    // An API server alone shall not pay for their loading.
    const { startLoops } = await import("./start-loops.ts");
    const { pipelines, services: pluginServices } = plugins;
    const { waveDelayMs } = options;
    const standings = opened.use(await StandingFile.open({ dataDir: options.dataDir, clock, log }));
    const loops = { ...means, pipelines, pluginServices, records, standings, plans, waveDelayMs, env };
    opened.use(await startLoops(loops));
    const moved = (url: string, ref: string) => api.noticePush(url, ref);
    opened.use(watchLocalRepositories({ live, folders, moved, log }));
  }
  if (isCompact) {
    giveBackMemory();
    void import("../surroundings/memory-at-rest.ts");
  }
  const closing = opened.move();
  return { api, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** What the API says of itself, and where it is found. */
function pageOf({ options, version, clock }: SystemInput, isSimulated: boolean) {
  const { host, namespace, allowedHosts, trustedProxies, place, insecure, pageExtensions } = options;
  const makeCertificate = async (served: readonly string[]) => {
    const { createSelfMadeCertificate } = await import("@capstan/cluster/certificates");
    return createSelfMadeCertificate({ commonName: "argocd-server", names: served }, clock.now());
  };
  return {
    controlNamespace: namespace,
    ...{ uiDir, version, place, trustedProxies, pageExtensions },
    simulatedCluster: isSimulated,
    allowedHosts: [host, ...allowedHosts],
    ...(insecure ? {} : { makeCertificate }),
  };
}
