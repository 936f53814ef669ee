import type { JudgedCluster, ProjectAccess } from "@capstan/engine/permit";
import { type Clock, Listeners } from "@capstan/flow";
import { equalJson } from "@capstan/formats";
import {
  type ApplicationDestination,
  annotationKeys,
  CapstanError,
  inClusterServer,
  type Manifest,
} from "@capstan/model";
import type { Discovery } from "./client/discovery.ts";
import { knownKinds } from "./client/known-kinds.ts";
import { createKubeClient, type KubeClient } from "./client/kube-client.ts";
import type { KubeLog } from "./kube-log.ts";
import { createLiveState } from "./live/create-live-state.ts";
import type { LiveState } from "./live/live-state.ts";
import { clusterFor } from "./settings/clusters.ts";
import { isExcludedKind } from "./settings/kind-filter.ts";
import type { ClusterSettings, GeneralSettings, Settings } from "./settings/settings.ts";
import type { SettingsSource } from "./settings/watch-settings.ts";
import { type TenantCluster, tenantCluster } from "./tenant/tenant-cluster.ts";
import { httpTransport } from "./transport/http-transport.ts";
import type { Transport } from "./transport/transport.ts";

/** One cluster that applications are deployed to. Its objects are reached through `tenant` alone. */
export interface Cluster extends JudgedCluster {
  readonly discovery: Discovery;
  readonly live: Pick<LiveState, "ready" | "onChange" | "stats">;
  /** The cluster as an application may see and change it. */
  tenant(access: ProjectAccess): TenantCluster;
  /** Aborted when settings close it: `forDestination` then gives another one, and who follows this one goes there. */
  readonly closed: AbortSignal;
}

/** The clusters that destinations name; each is connected to when it is first asked for. */
export interface Clusters extends AsyncDisposable {
  /** Rejects a destination that names no cluster, or an unknown or ambiguous one. */
  forDestination(destination: ApplicationDestination): Cluster;
  /** What the cluster that Capstan runs on holds, by the settings of this moment; a change of them closes it. */
  ownLive(): LiveState;
  /** Those that are connected. */
  open(): readonly Cluster[];
  /** Called for each cluster when it is connected, those of before included. Returns what ends it. */
  onOpen(listener: (cluster: Cluster) => void): () => void;
  isExcluded(kind: { group: string; kind: string }, server: string): boolean;
  /**
   * Works with a cluster by settings that need not be in force, for the operator's own purposes; the connection ends with
   * the work. At the address of the cluster that Capstan runs on it is that one.
   */
  ask<T>(config: ClusterSettings["config"], work: (client: KubeClient) => Promise<T>): Promise<T>;
}

/** How an object says to which application it belongs, under the settings in force. */
export type ReadInstance = (object: Manifest, tracking: GeneralSettings["tracking"]) => string | undefined;

export interface ClustersInput {
  /** The cluster that Capstan runs on. */
  local: KubeClient;
  settings: SettingsSource;
  readInstance: ReadInstance;
  userAgent: string;
  clock: Clock;
  log: KubeLog;
  /** Environment of credential programs. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How clusters that Secrets name are reached; as those say where it is absent. */
  connect?: ConnectCluster | undefined;
  /** As of a live state, for the cluster that Capstan runs on. */
  isCompact?: boolean | undefined;
}

export type ConnectCluster = (config: ClusterSettings["config"]) => Transport & AsyncDisposable;

interface Opened extends Cluster, AsyncDisposable {
  readonly live: LiveState;
  /** What it was opened with: a change of it opens the cluster anew. */
  settings:
    | (Pick<ClusterSettings, "name" | "config" | "namespaces" | "clusterResources"> & {
        /** When it was asked for to be known anew. */
        refresh: string | undefined;
      })
    | undefined;
}

export function createClusters(input: ClustersInput): Clusters {
  return new OpenClusters(input);
}

class OpenClusters implements Clusters {
  readonly #input: ClustersInput;
  readonly #opened = new Map<string, Opened>();
  readonly #listeners: Listeners<[Cluster]>;
  readonly #closing = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(input: ClustersInput) {
    this.#input = input;
    this.#listeners = new Listeners((error) =>
      input.log.warn({ error }, "what follows a cluster failed to begin"),
    );
    this.#unsubscribe = input.settings.onChange((current, previous) =>
      this.#settingsChanged(current, previous),
    );
  }

  ownLive(): LiveState {
    const secret = this.#input.settings.current.clusters.find(({ server }) => server === inClusterServer);
    return (this.#opened.get(inClusterServer) ?? this.#open(inClusterServer, secret)).live;
  }

  forDestination(destination: ApplicationDestination): Cluster {
    const { settings } = this.#input;
    const { server } = clusterFor(settings.current, destination);
    const secret = settings.current.clusters.find((cluster) => cluster.server === server);
    return this.#opened.get(server) ?? this.#open(server, secret);
  }

  open(): readonly Cluster[] {
    return [...this.#opened.values()];
  }

  onOpen(listener: (cluster: Cluster) => void): () => void {
    for (const cluster of this.#opened.values()) this.#listeners.tellOne(listener, cluster);
    return this.#listeners.add(listener);
  }

  isExcluded(kind: { group: string; kind: string }, server: string): boolean {
    return isExcludedKind(this.#input.settings.current.general, kind, server);
  }

  async ask<T>(config: ClusterSettings["config"], work: (client: KubeClient) => Promise<T>): Promise<T> {
    const { clock, local, userAgent } = this.#input;
    if (config.server === inClusterServer) return work(local);
    await using transport = this.#connect(config, 1);
    return await work(createKubeClient({ transport, userAgent, clock }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    for (const server of [...this.#opened.keys()]) this.#close(server);
    await Promise.all(this.#closing);
  }

  #open(server: string, secret: ClusterSettings | undefined): Opened {
    const { clock, log, local, settings, readInstance, userAgent, isCompact } = this.#input;
    const isLocal = server === inClusterServer;
    if (!isLocal && !secret) throw new CapstanError({ code: "CLUSTER_MISSING", cluster: server });
    const transport = isLocal || !secret ? undefined : this.#connect(secret.config);
    const client = transport ? createKubeClient({ transport, userAgent, clock }) : local;
    const reach = secret?.namespaces && {
      namespaces: secret.namespaces,
      clusterResources: secret.clusterResources,
    };
    const live = createLiveState({
      client,
      clock,
      log,
      instanceOf: (object) => readInstance(object, settings.current.general.tracking),
      isExcluded: (kind) => this.isExcluded(kind, server),
      respectRbac: settings.current.general.respectRbac,
      isCompact: isLocal && isCompact,
      ...reach,
    });
    const name = secret?.name ?? (isLocal ? "in-cluster" : server);
    const closing = new AbortController();
    const opened: Opened = {
      server,
      name,
      get project() {
        const stored = settings.current.clusters.find((cluster) => cluster.server === server);
        return stored?.isByName ? undefined : stored?.project;
      },
      kindOf: (group, kind) => knownKinds(client.discovery).get(`${group}/${kind}`),
      tenant: (access) => tenantCluster({ server, name, client, live, reach }, access),
      discovery: client.discovery,
      live,
      closed: closing.signal,
      settings: secret && openedWith(secret),
      async [Symbol.asyncDispose]() {
        closing.abort(new Error(`the connection to cluster ${server} is opened anew`));
        await live[Symbol.asyncDispose]();
        await transport?.[Symbol.asyncDispose]();
      },
    };
    this.#opened.set(server, opened);
    this.#listeners.tell(opened);
    return opened;
  }

  #connect(config: ClusterSettings["config"], connections?: number): Transport & AsyncDisposable {
    const { clock, env, connect } = this.#input;
    if (connect) return connect(config);
    return httpTransport(config, {
      clock,
      ...(connections ? { connections } : {}),
      ...(env ? { env } : {}),
    });
  }

  #close(server: string): void {
    const opened = this.#opened.get(server);
    if (!opened) return;
    this.#opened.delete(server);
    const closing = Promise.resolve(opened[Symbol.asyncDispose]()).finally(() =>
      this.#closing.delete(closing),
    );
    this.#closing.add(closing);
  }

  #settingsChanged(current: Settings, previous: Settings): void {
    const { tracking } = current.general;
    const before = previous.general;
    const filtersChanged = !equalJson(filtersOf(current.general), filtersOf(before));
    const trackingChanged = !equalJson(tracking, before.tracking);
    for (const [server, opened] of [...this.#opened]) {
      const secret = current.clusters.find((cluster) => cluster.server === server);
      const isGone = server !== inClusterServer && !secret;
      const isOther = !equalJson(secret && openedWith(secret), opened.settings);
      if (isGone || isOther || filtersChanged) this.#close(server);
      else if (trackingChanged) opened.live.reindex((object) => this.#input.readInstance(object, tracking));
    }
  }
}

/** What decides which kinds are watched. */
function filtersOf({ exclusions, inclusions, respectRbac }: GeneralSettings): unknown {
  return [exclusions, inclusions, respectRbac];
}

function openedWith({
  name,
  config,
  namespaces,
  clusterResources,
  annotations,
}: ClusterSettings): NonNullable<Opened["settings"]> {
  return { name, config, namespaces, clusterResources, refresh: annotations[annotationKeys.refresh] };
}
