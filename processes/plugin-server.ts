/** `capstan plugin-server`: plugins as sidecars and services. Composes, says where it listens, and waits. */
import { readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, isCapstanError } from "@capstan/model";
import {
  type CommandSettings,
  type Isolation,
  PluginServer,
  pluginService,
  probeIsolation,
  RunQueue,
  WorkDirectories,
} from "@capstan/plugin-kit/server";
import { startMetrics } from "./plugin-server/metrics.ts";
import { type PluginServerFlags, readPluginServerFlags, UsageError, usage } from "./plugin-server/options.ts";
import { readPlacedPlugins } from "./plugin-server/placed-plugins.ts";
import { openTls } from "./plugin-server/tls.ts";
import { watchFolder } from "./plugin-server/watch-folder.ts";
import { createLog } from "./up/log.ts";

const version: string = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"),
).version;

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

const maxWaitingRuns = 1_000;

/** Runs until SIGINT or SIGTERM; the result is the exit code. */
export async function runPluginServer(argv: readonly string[]): Promise<number> {
  try {
    const flags = readPluginServerFlags(argv, process.env);
    if (flags === "help") process.stdout.write(usage);
    else await servePlugins(flags);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !isCapstanError(error)) throw error;
    process.stderr.write(`capstan plugin-server: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function servePlugins(flags: PluginServerFlags): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => stopping.abort(new Error("stopped")));
  const { signal } = stopping;
  const log = createLog({ format: flags.logFormat, level: flags.logLevel, now: clock.now });
  await using opened = new AsyncDisposableStack();
  const metrics = opened.use(await startMetrics(flags.metricsPort));
  const directories = opened.use(await WorkDirectories.create(flags.workDir, log));
  const isolation = await probeIsolation(process.env.PATH ?? "", clock, signal);
  if (isolation.whyNoSandbox !== undefined)
    log.warn({ why: isolation.whyNoSandbox }, "commands run without a sandbox, each in a copy of its source");
  if (isolation.whyNoTrace !== undefined)
    log.info({ why: isolation.whyNoTrace }, "what plugins read cannot be observed");
  const commands = commandSettings(flags, isolation);
  const limits = { maxTreeBytes: flags.maxTreeBytes, maxTreeFiles: flags.maxTreeFiles };
  const tls = await openTls(flags, clock.now());
  const token = flags.tokenFile === undefined ? undefined : (await readFile(flags.tokenFile, "utf8")).trim();
  const services = { clock, log, limits, directories, queue: new RunQueue(maxWaitingRuns) };
  await mkdir(flags.socketDir, { recursive: true });
  let configured = await readPlacedPlugins(flags, commands, log);
  const server = opened.use(
    await PluginServer.start(configured.plugins, {
      ...services,
      version,
      maxMessageBytes: flags.maxMessageBytes,
      onCall: metrics.onCall,
      pluginService: (plugins) => pluginService(plugins, services),
      ...(tls ? { tls } : {}),
      ...(token === undefined ? {} : { token }),
    }),
  );
  log.info({ addresses: server.addresses, metricsPort: metrics.port, version }, "plugin server is serving");
  const reread = async () => {
    try {
      const next = await readPlacedPlugins(flags, commands, log);
      if (next.text === configured.text) return;
      await server.replace(next.plugins);
      configured = next;
      log.info({ addresses: server.addresses }, "plugin configuration was read again");
    } catch (error) {
      log.error({ error }, "plugin configuration is wrong; the earlier one stays");
    }
  };
  await watchFolder(flags.configDir, { clock, signal }, reread);
}

/** Commands get the server's environment, as those of Argo CD's sidecar do. */
function commandSettings(
  { maxMessageBytes, execTimeoutMs }: PluginServerFlags,
  isolation: Isolation,
): CommandSettings {
  return {
    clock,
    env: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""])),
    maxOutputBytes: maxMessageBytes,
    maxStderrBytes: 2 ** 20,
    ...(execTimeoutMs === undefined ? {} : { execTimeoutMs }),
    isolation,
  };
}
