/** `capstan up`: the whole system on one machine. What it takes to begin the cluster is loaded first, the rest meanwhile. */
import { systemClock as clock } from "@capstan/flow/at-start";
import { lockDataFolder } from "../surroundings/data-folder.ts";
import { createLog } from "../surroundings/log.ts";
import { ownVersion } from "../surroundings/own-process.ts";
import { say } from "../surroundings/say.ts";
import { followStopSignals, type StopRequest } from "../surroundings/stop-request.ts";
import { beginCluster } from "./begin-cluster.ts";
import type { UpOptions } from "./options.ts";

/** Runs until SIGINT, SIGTERM or SIGHUP. */
export async function runUp(options: UpOptions): Promise<void> {
  const stop = followStopSignals(clock, () => say("stopping …"));
  await up(options, stop).catch((error: unknown) => {
    if (!stop.isReasonOf(error)) throw error;
  });
}

async function up(options: UpOptions, { signal, end }: StopRequest): Promise<void> {
  say(`Capstan ${ownVersion()} is starting; data in ${options.dataDir}`);
  await using opened = new AsyncDisposableStack();
  // A start that fails ends what waits for the stop.
  opened.defer(end);
  opened.use(await lockDataFolder(options.dataDir));
  const log = createLog({ format: options.logFormat, level: options.logLevel, now: clock.now });
  const { kubeconfig: file } = options;
  const cluster = file === undefined ? opened.use(beginCluster(options, log)) : { file };
  const { runSystem } = await import("./run-system.ts");
  await runSystem(options, { log, signal, cluster });
}
