import { join } from "node:path";
import { systemClock as clock, untilAborted } from "@capstan/flow";
import { createKubeClient, httpTransport, type KubeClient, openKubeconfig } from "@capstan/kube";
import type { Log } from "@capstan/plugin-kit";
import { serveDebug } from "@capstan/servers/debug-server";
import { serveObserved } from "@capstan/servers/observed-server";
import type { Registry } from "prom-client";
import { lockDataFolder, writeWhole } from "../surroundings/data-folder.ts";
import { debugSocket } from "../surroundings/debug-socket.ts";
import { findCluster } from "../surroundings/find-cluster.ts";
import { followSteps } from "../surroundings/follow-steps.ts";
import { createLog } from "../surroundings/log.ts";
import { ownVersion, userAgentOf } from "../surroundings/own-process.ts";
import { processRegistry } from "../surroundings/process-registry.ts";
import { followStopSignals } from "../surroundings/stop-request.ts";
import type { UpOptions } from "../up/options.ts";
import { type Part, type PartFlagValues, readPartOptions } from "./part-options.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a program of one part has before it begins its work. */
export interface Begun {
  readonly options: UpOptions;
  readonly kube: KubeClient;
  /** Path of a file that reaches the cluster. */
  readonly kubeconfig: string;
  /** The cluster is that of this Pod, known by the Pod's account. */
  readonly isPod: boolean;
  readonly metrics: Registry;
  readonly version: string;
  readonly clock: typeof clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Running extends AsyncDisposable {
  /** What is done first when it shall end: who calls it is sent elsewhere. */
  leave?(): Promise<void>;
}

/** Composes what every program of one part needs, says where it is observed, and runs until SIGINT or SIGTERM. */
export async function runProgram(
  part: Part,
  { flags, env }: { flags: PartFlagValues; env: Env },
  start: (begun: Begun) => Promise<Running>,
): Promise<void> {
  const { up: options, metrics: address } = readPartOptions(part, flags, env);
  const access = findCluster(flags.kubeconfig, env);
  const log = createLog({ format: options.logFormat, level: options.logLevel, now: clock.now });
  const version = ownVersion();
  let whyNotReady: string | undefined = "it is starting";
  const stop = followStopSignals(clock, () => {
    whyNotReady = "it is stopping";
    log.info({}, "stopping");
  });
  const { signal } = stop;
  try {
    await using opened = new AsyncDisposableStack();
    opened.defer(() => stop.end());
    const metrics = processRegistry();
    const observed = opened.use(await serveObserved({ metrics, whyNotReady: () => whyNotReady }, address));
    log.info({ url: observed.url, version }, `${part.name} is starting; metrics and health are served`);
    opened.use(await followSteps(options, { name: `capstan-${part.name}`, version, clock, log }));
    opened.use(await lockDataFolder(options.dataDir));
    opened.use(await serveDebug(debugSocket(options.dataDir), { clock, log }));
    const isPod = "text" in access;
    const kubeconfig = isPod ? join(options.dataDir, "pod-kubeconfig") : access.file;
    if (isPod) await writeWhole(kubeconfig, access.text);
    const { config } = await openKubeconfig(kubeconfig);
    const transport = opened.use(httpTransport(config, { clock, env }));
    const userAgent = userAgentOf({ version });
    const kube = createKubeClient({ transport, userAgent, clock, sharesWatched: true });
    const begun = { options, kube, kubeconfig, isPod, metrics, version, clock, log, signal };
    const running = opened.use(await start(begun));
    signal.throwIfAborted();
    if (running.leave) stop.before(running.leave);
    whyNotReady = undefined;
    log.info({ version }, `${part.name} is ready`);
    await untilAborted(signal);
  } catch (error) {
    if (!stop.isReasonOf(error)) throw error;
  }
}
