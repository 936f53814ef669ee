import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { defaultOptions, startApplicationController } from "@capstan/controllers";
import { trackedInstance } from "@capstan/engine";
import { createClusters, createKubeClient, type KubeClient, watchSettings } from "@capstan/kube";
import { type Clock, crds, isRecord } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import { createRepoServer } from "@capstan/render";
import { createApiServer, prepareControlNamespace } from "@capstan/servers";
import { Registry } from "prom-client";
import { listenAnyway } from "./listen-anyway.ts";
import { openCluster } from "./open-cluster.ts";
import type { UpOptions } from "./options.ts";
import { renderMetrics } from "./render-metrics.ts";

export const controlNamespace = "argocd";

export interface SystemInput {
  options: UpOptions;
  adminPassword: string;
  version: string;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export interface System extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly kubeconfig: string;
  /** The page; absent with --no-controllers. */
  readonly url: string | undefined;
  /** Ports that were busy and what was taken instead. */
  readonly movedPorts: readonly { wanted: number; taken: number }[];
  readonly isSimulated: boolean;
}

const crdLimitMs = 30_000;
const uiDir = join(import.meta.dirname, "..", "..", "packages", "ui", "dist");

/** All parts, in the order in which they need each other; closed in reverse. */
export async function startSystem(input: SystemInput): Promise<System> {
  const { options, clock, log, signal } = input;
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await openCluster(input));
  const kube = createKubeClient({
    transport: cluster.transport,
    userAgent: `capstan/${input.version}`,
    clock,
  });
  const { kubeconfig, isSimulated } = cluster;
  if (!options.controllers) {
    const closing = opened.move();
    const dispose = () => closing.disposeAsync();
    return {
      kube,
      kubeconfig,
      url: undefined,
      movedPorts: cluster.moved,
      isSimulated,
      [Symbol.asyncDispose]: dispose,
    };
  }
  await installCrds({ kube, clock, signal });
  await prepareControlNamespace({
    kube,
    namespace: controlNamespace,
    adminPassword: input.adminPassword,
    clock,
    signal,
  });
  const metrics = new Registry();
  const dataDir = join(options.dataDir, "render");
  await mkdir(dataDir, { recursive: true });
  const repo = opened.use(
    await createRepoServer({ dataDir, clock, log, metrics: renderMetrics(metrics), env: process.env }),
  );
  const settings = opened.use(watchSettings({ client: kube, namespace: controlNamespace, clock, log }));
  await settings.ready(signal);
  const clusters = opened.use(
    createClusters({
      local: kube,
      settings,
      readInstance: trackedInstance,
      userAgent: `capstan/${input.version}`,
      clock,
      log,
      env: process.env,
    }),
  );
  const { live } = clusters.forDestination({ server: "https://kubernetes.default.svc" });
  await live.ready(signal);
  const shared = { kube, clusters, repo, settings, clock, log, metrics };
  const api = opened.use(
    createApiServer({
      ...shared,
      live,
      controlNamespace,
      uiDir,
      version: input.version,
      simulatedCluster: isSimulated,
    }),
  );
  opened.use(
    await startApplicationController({
      ...shared,
      namespace: controlNamespace,
      options: { ...defaultOptions, waveDelayMs: options.waveDelayMs },
      signal,
    }),
  );
  const { url, moved } = await listenAnyway(api, { host: options.host, port: options.port });
  const closing = opened.move();
  return {
    kube,
    kubeconfig,
    url,
    movedPorts: [...cluster.moved, ...moved],
    isSimulated,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
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
