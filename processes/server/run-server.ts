/** `capstan server`: the API server alone. Composes, says where it listens, and waits. */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { FlagValues } from "@capstan/cli/record";
import { systemClock as clock, untilAborted } from "@capstan/flow";
import { serveDebug } from "@capstan/servers/debug-server";
import { openRemoteRepo } from "../parts/repo-access.ts";
import { lockDataFolder, writeWhole } from "../surroundings/data-folder.ts";
import { debugSocket } from "../surroundings/debug-socket.ts";
import { findCluster } from "../surroundings/find-cluster.ts";
import { followSteps } from "../surroundings/follow-steps.ts";
import { createLog } from "../surroundings/log.ts";
import { ownVersion } from "../surroundings/own-process.ts";
import { say } from "../surroundings/say.ts";
import { shutdownDelayMs } from "../surroundings/shutdown-delay.ts";
import { followStopSignals } from "../surroundings/stop-request.ts";
import { controlClient } from "../up/control-client.ts";
import { openCluster } from "../up/open-cluster.ts";
import { startControlPlane } from "../up/start-control-plane.ts";
import { repoStarter } from "../up/start-repo-process.ts";
import { readServerOptions, serverDataDir, type serverFlags } from "./options.ts";

/** Longer than a request may take to arrive, shorter than a Pod has to end. */
const drainMs = 90_000;

/** Runs until SIGINT, SIGTERM or SIGHUP. */
export async function runServer(
  flags: FlagValues<typeof serverFlags>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const access = findCluster(flags.kubeconfig, env);
  const stop = followStopSignals(clock, () => say("stopping …"));
  try {
    await using opened = new AsyncDisposableStack();
    opened.defer(() => stop.end());
    const dataDir = serverDataDir(flags);
    opened.use(await lockDataFolder(dataDir));
    const kubeconfig = "file" in access ? access.file : join(dataDir, "pod-kubeconfig");
    if ("text" in access) await writeWhole(kubeconfig, access.text);
    const options = readServerOptions(flags, { env, kubeconfig, dataDir });
    const { signal } = stop;
    const log = createLog({ format: options.logFormat, level: options.logLevel, now: clock.now });
    const version = ownVersion();
    opened.use(await followSteps(options, { name: "capstan-server", version, clock, log }));
    opened.use(await serveDebug(debugSocket(dataDir), { clock, log }));
    const start = repoStarter({ options, clock, log, signal });
    const adminPassword = randomBytes(12).toString("base64url");
    const shared = { options, adminPassword, version, clock, log, signal };
    const input = { ...shared, startRepoServer: start };
    const cluster = opened.use(await openCluster(input, { file: kubeconfig }));
    const kube = controlClient(input, cluster);
    const repo = await openRemoteRepo(flags, input);
    if (repo) opened.use(repo);
    const on = { kube, kubeconfig: cluster.kubeconfig, isSimulated: false, isInstalled: true, repo };
    const serving = opened.use(await startControlPlane(input, on));
    for (const { wanted, taken } of serving.moved) say(`port ${wanted} is in use: took ${taken} instead`);
    const statusFile = join(dataDir, "status.json");
    opened.defer(() => rm(statusFile, { force: true }));
    await writeWhole(statusFile, JSON.stringify({ url: serving.url, kubeconfig, pid: process.pid }));
    stop.before(() => serving.leave({ delayMs: shutdownDelayMs(flags), drainMs }));
    if (serving.metricsUrl) say(`metrics: ${serving.metricsUrl}`);
    say(`ready: ${serving.url}`);
    await untilAborted(signal);
  } catch (error) {
    if (!stop.isReasonOf(error)) throw error;
  }
}
