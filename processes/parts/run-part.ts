import { join } from "node:path";
import { createKubeClient, httpTransport, openKubeconfig, type SettingsOverlay } from "@capstan/kube";
import { lockDataFolder, writeWhole } from "../surroundings/data-folder.ts";
import { findCluster } from "../surroundings/find-cluster.ts";
import { createLog } from "../surroundings/log.ts";
import { type Means, openMeans, userAgentOf } from "../surroundings/open-means.ts";
import { openPluginSources, type PluginSources } from "../surroundings/open-plugin-sources.ts";
import { clock, ownVersion } from "../surroundings/own-process.ts";
import { processRegistry } from "../surroundings/process-registry.ts";
import { serveObserved } from "../surroundings/serve-observed.ts";
import { followStopSignals } from "../surroundings/stop-request.ts";
import { openOwnRepo } from "./open-own-repo.ts";
import { type Part, type PartFlagValues, readPartOptions } from "./part-options.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface PartMeans extends Means {
  /** What the cluster says of plugins. */
  readonly plugins: PluginSources;
  /** ARGOCD_SYNC_WAVE_DELAY. */
  readonly waveDelayMs: number;
}

interface RunningPart extends Part {
  /** What its flags say over settings. */
  readonly overlay?: SettingsOverlay;
  /** Resolves when it works. */
  start(means: PartMeans): Promise<AsyncDisposable>;
}

/** A loop as a program of its own: composes what it needs, says where it is observed, and runs until SIGINT or SIGTERM. */
export async function runPart(part: RunningPart, flags: PartFlagValues, env: Env): Promise<void> {
  const { up, metrics: address } = readPartOptions(part, flags, env);
  const options = { ...up, overlay: joinOverlays(up.overlay, part.overlay ?? {}) };
  const access = findCluster(flags.kubeconfig, env);
  const log = createLog({ format: options.logFormat, level: options.logLevel, now: clock.now });
  const version = ownVersion();
  const stop = followStopSignals(clock, () => log.info({}, "stopping"));
  const { signal } = stop;
  try {
    await using opened = new AsyncDisposableStack();
    opened.defer(() => stop.end());
    let whyNotReady: string | undefined = "it is starting";
    const metrics = processRegistry();
    const observed = opened.use(await serveObserved({ metrics, whyNotReady: () => whyNotReady }, address));
    log.info({ url: observed.url, version }, `${part.name} is starting; metrics and health are served`);
    opened.use(await lockDataFolder(options.dataDir));
    const kubeconfig = "file" in access ? access.file : join(options.dataDir, "pod-kubeconfig");
    if ("text" in access) await writeWhole(kubeconfig, access.text);
    const { config } = await openKubeconfig(kubeconfig);
    const transport = opened.use(httpTransport(config, { clock, env }));
    const kube = createKubeClient({
      transport,
      userAgent: userAgentOf({ version }),
      clock,
      sharesWatched: true,
    });
    const { namespace } = options;
    const plugins = opened.use(await openPluginSources({ kube, namespace, clock, log }, signal));
    const shared = { options, version, clock, log, signal, metrics };
    const own = opened.use(await openOwnRepo({ ...shared, kube, kubeconfig, plugins }));
    const means = opened.use(await openMeans({ ...shared, kube, repo: own.repo }));
    await own.useSettings(means.settings);
    opened.use(await part.start({ ...means, plugins, waveDelayMs: options.waveDelayMs }));
    signal.addEventListener("abort", () => (whyNotReady = "it is stopping"), { once: true });
    whyNotReady = undefined;
    log.info({ version }, `${part.name} is ready`);
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } catch (error) {
    if (!stop.isReasonOf(error)) throw error;
  }
}

function joinOverlays(one: SettingsOverlay, other: SettingsOverlay): SettingsOverlay {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, { ...one[name], ...other[name] }]));
}
