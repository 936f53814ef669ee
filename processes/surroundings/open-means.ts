import { trackedInstance } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { HostCalls } from "@capstan/git-hosts";
import {
  type Clusters,
  type ConnectCluster,
  createClusters,
  createControlState,
  type KubeClient,
  type LiveState,
  type SettingsOverlay,
  type SettingsSource,
  watchSettings,
} from "@capstan/kube";
import { openScripts, type Scripts } from "@capstan/planning";
import type { Log } from "@capstan/plugin-kit";
import type { RepoServer } from "@capstan/wire";
import type { Registry } from "prom-client";
import { userAgentOf } from "./own-process.ts";

interface Input {
  readonly kube: KubeClient;
  readonly repo: RepoServer;
  readonly metrics: Registry;
  readonly options: {
    readonly namespace: string;
    readonly namespaced: boolean;
    readonly overlay: SettingsOverlay;
  };
  /** As of a live state. Not for loops: they read all of an Application again and again. */
  readonly isCompact?: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly connect?: ConnectCluster;
}

/** What the API and every loop work with. */
export interface Means extends AsyncDisposable {
  readonly kube: KubeClient;
  readonly clusters: Clusters;
  readonly repo: RepoServer;
  readonly hosts: HostCalls;
  readonly settings: SettingsSource;
  readonly scripts: Scripts;
  /** Applications, ApplicationSets and projects; it is ready. */
  readonly live: LiveState;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Registry;
  /** The control namespace. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** In the order in which they need each other; ready. The repo server is its caller's, to be closed after these. */
export async function openMeans(input: Input): Promise<Means> {
  const { kube, options, clock, log, signal, connect, isCompact = false } = input;
  const { namespace, namespaced, overlay } = options;
  await using opened = new AsyncDisposableStack();
  const settings = opened.use(watchSettings({ client: kube, namespace, overlay, clock, log }));
  const live = opened.use(
    createControlState({
      ...{ client: kube, isCompact, clock, log, ...(namespaced ? { namespaces: [namespace] } : {}) },
    }),
  );
  await settings.ready(signal);
  const elsewhere = settings.current.params["application.namespaces"];
  if (namespaced && elsewhere)
    log.warn(
      { setting: elsewhere },
      "--namespaced: Applications in the namespaces of application.namespaces are not seen",
    );
  const [userAgent, readInstance, env] = [userAgentOf(input), trackedInstance, process.env];
  const clusters = opened.use(
    createClusters({ local: kube, settings, readInstance, userAgent, clock, log, env, connect, isCompact }),
  );
  const scripts = opened.use(openScripts({ settings, clock, log }));
  await live.ready(signal);
  const { repo, metrics } = input;
  const hosts = new HostCalls(clock, env, (error) =>
    log.error({ error }, "what follows a request to a host failed"),
  );
  const closing = opened.move();
  return {
    ...{ kube, clusters, repo, hosts, settings, scripts, live, clock, log, metrics, namespace, signal },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
