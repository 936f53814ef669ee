import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchPluginServices } from "@capstan/controllers/plugin-services";
import { isRecord } from "@capstan/formats";
import { followObjects } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { RepoServerOptions } from "@capstan/render";
import {
  eventually,
  freePorts,
  realClock,
  startProcess,
  type TestProcess,
  untilServing,
} from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import type { PluginService } from "@capstan/wire";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const namespace = "argocd";
const startLimitMs = 100_000;
const unheard = () => undefined;
const nobodyLogs = { debug: unheard, info: unheard, warn: unheard, error: unheard };

export interface Replica extends AsyncDisposable {
  readonly port: number;
  readonly process: TestProcess;
  /** Commands of the plugin that have ended well. */
  runs(): number;
}

/** A world with plugins as Services: Pods are simulated, and each has a real plugin server on the loopback. */
export interface ServiceWorld extends SmallWorld {
  /** Replicas by the name of their Pod. */
  readonly replicas: ReadonlyMap<string, Replica>;
  /** Who answers at an address that only the cluster knows. */
  readonly ports: Map<string, number>;
  /** The plugin of Pods that start from now on. */
  configure(pluginYaml: string): void;
  /** Until as many replicas serve, and the repo server has been told of just them. */
  untilServing(count: number): Promise<void>;
  /** One that is no Pod's. */
  startReplica(name: string, pluginYaml: string): Promise<Replica>;
}

export interface ServiceWorldOptions {
  /** Of the plugin servers. */
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Of the repo server. */
  readonly access?: ReturnType<NonNullable<RepoServerOptions["pluginAccess"]>>;
  readonly limits?: NonNullable<RepoServerOptions["limits"]>;
}

/** `pluginYaml` is what a stock image has; the line `listenAddress` is added for each Pod. */
export async function openServiceWorld(options: ServiceWorldOptions = {}): Promise<ServiceWorld> {
  const { env = {}, flags = [], limits = {}, access = {} } = options;
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-services-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const ports = new Map<string, number>();
  let watched = (): readonly PluginService[] => [];
  const services = () => watched().map((service) => onLoopback(service, ports));
  const { tell, onChange } = changes();
  const repoServer = { pluginServices: services, pluginAccess: () => access, limits };
  const world = opened.use(await openSmallWorld({ repoServer, pluginServices: { onChange } }));
  const watch = { kube: world.kube, namespace, clock: realClock, log: nobodyLogs };
  const watching = opened.use(watchPluginServices(watch));
  watched = watching.current;
  opened.defer(watching.onChange(tell));
  const replicas = new Map<string, Replica>();
  let yaml = "";
  const start = async (pod: string, address: string) => {
    const replica = await startReplica({ dir: join(dir, pod), yaml, env: { ...env, POD: pod }, flags });
    replicas.set(pod, replica);
    ports.set(address, replica.port);
    tell();
  };
  const end = async (pod: string, address: string | undefined) => {
    const replica = replicas.get(pod);
    if (address !== undefined) ports.delete(address);
    tell();
    replicas.delete(pod);
    await replica?.[Symbol.asyncDispose]();
  };
  const killAll = async () => {
    for (const { process } of replicas.values()) await process.kill("SIGKILL");
  };
  // One that was just starting serves only once its Pod is followed no more.
  opened.defer(killAll);
  opened.use(followPods(world, start, end));
  const closing = opened.move();
  return Object.assign(world, {
    replicas,
    ports,
    startReplica: (name: string, pluginYaml: string) =>
      startReplica({ dir: join(dir, name), yaml: pluginYaml, env, flags }),
    configure: (text: string) => {
      yaml = text;
    },
    untilServing: (count: number) =>
      eventually(async () => countOf(services()) === count || undefined, {
        signal: AbortSignal.timeout(startLimitMs),
        describe: () => `not ${count} replicas serve but ${JSON.stringify(services())}`,
      }).then(() => undefined),
    [Symbol.asyncDispose]: async () => {
      await killAll();
      await closing.disposeAsync();
    },
  });
}

function changes() {
  const listeners = new Set<() => void>();
  return {
    tell: () => {
      for (const listener of listeners) listener();
    },
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Stands for kubelets: a process for each Pod that runs, ended when the Pod is to end. */
function followPods(
  { kube }: SmallWorld,
  start: (pod: string, address: string) => Promise<void>,
  end: (pod: string, address: string | undefined) => Promise<void>,
): AsyncDisposable {
  const stopping = new AbortController();
  const started = new Map<string, string>();
  let work: Promise<unknown> = Promise.resolve();
  const look = ({ metadata, status }: Manifest) => {
    const { name = "", deletionTimestamp } = metadata;
    const address = isRecord(status) && typeof status.podIP === "string" ? status.podIP : undefined;
    if (deletionTimestamp !== undefined) remove(name);
    else if (address !== undefined && !started.has(name)) {
      started.set(name, address);
      work = work.then(() => start(name, address));
    }
  };
  const remove = (name: string) => {
    const address = started.get(name);
    if (address !== undefined) work = work.then(() => end(name, address));
    started.set(name, "ended");
  };
  const follower = {
    replaceAll: (pods: readonly Manifest[]) => pods.forEach(look),
    changed: look,
    deleted: (pod: Manifest) => {
      if (started.get(pod.metadata.name ?? "") !== "ended") remove(pod.metadata.name ?? "");
    },
    problem: () => undefined,
  };
  const query = { apiVersion: "v1", kind: "Pod", namespace };
  const { signal } = stopping;
  const following = followObjects({
    client: kube,
    query,
    follower,
    clock: realClock,
    log: nobodyLogs,
    signal,
  });
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await following;
      await work;
    },
  };
}

async function startReplica(of: {
  dir: string;
  yaml: string;
  env: Readonly<Record<string, string>>;
  flags: readonly string[];
}): Promise<Replica> {
  const [port = 0] = await freePorts(1);
  const config = join(of.dir, "config");
  await mkdir(config, { recursive: true });
  const line = `spec:\n  listenAddress: "127.0.0.1:${port}"`;
  await writeFile(join(config, "plugin.yaml"), of.yaml.replace("spec:", line));
  const places = [
    "--config-dir-path",
    config,
    "--work-dir",
    of.dir,
    "--socket-dir",
    join(of.dir, "sockets"),
    ...of.flags,
    ...(of.flags.some((flag) => ["--token-file", "--client-ca"].includes(flag)) ? [] : ["--anyone-may-call"]),
  ];
  const env = { ...process.env, ...of.env };
  await using opened = new AsyncDisposableStack();
  const started = opened.use(startProcess(process.execPath, [launcher, "plugin-server", ...places], { env }));
  await untilServing(
    "the plugin server",
    started,
    () => started.output().includes("is serving") || undefined,
  );
  opened.move();
  return {
    port,
    process: started,
    runs: () => started.output().split("Plugin command successful").length - 1,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/** Addresses of Pods as what serves in their place; those where nothing does yet are not ready. */
function onLoopback(service: PluginService, ports: ReadonlyMap<string, number>): PluginService {
  const endpoints = service.endpoints.flatMap((one) => {
    const port = ports.get(one.host);
    if (one.host === "localhost") return [one];
    return port === undefined ? [] : [{ ...one, host: "127.0.0.1", port }];
  });
  return { ...service, endpoints };
}

function countOf(services: readonly PluginService[]): number {
  return services.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
}
