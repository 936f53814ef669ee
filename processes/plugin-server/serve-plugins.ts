import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock as clock } from "@capstan/flow";
import { followFiles, type Log, readToken } from "@capstan/plugin-kit";
import {
  type CommandSettings,
  PluginServer,
  pluginService,
  probeIsolation,
  RunQueue,
  Spawner,
  WorkDirectories,
} from "@capstan/plugin-kit/server";
import { ownVersion } from "../surroundings/own-process.ts";
import { openTls } from "../surroundings/tls.ts";
import { startMetrics } from "./metrics.ts";
import type { PluginServerOptions } from "./options.ts";
import { readPlacedPlugins } from "./placed-plugins.ts";
import { comingAlong } from "./provided-path.ts";
import { watchFolders } from "./watch-folder.ts";

const maxWaitingRuns = 1_000;

export interface Serving {
  /** Of which commands get what their plugin names, or all with `--environment=whole`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that were made for the plugins' commands. */
  readonly given?: Readonly<Record<string, string>>;
  /** Folders that no command sees: data of the process around it. */
  readonly hidden?: readonly string[];
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told once, when its addresses answer. */
  onServing?(): void;
}

/** The plugins of the configuration directory, served and read again when it changes, until aborted. */
export async function servePlugins(flags: PluginServerOptions, serving: Serving): Promise<void> {
  const { env, log, signal } = serving;
  await using opened = new AsyncDisposableStack();
  // What goes on beside the serving ends with it, also where it does not begin: a process would go on with nothing to do.
  const ended = new AbortController();
  opened.defer(() => ended.abort());
  const metrics = opened.use(await startMetrics(flags.metricsPort));
  const directories = opened.use(await WorkDirectories.create(flags.workDir, log));
  const isolation = await probeIsolation(env.PATH ?? "", clock, signal);
  if (isolation.whyNoSandbox !== undefined)
    log.warn({ why: isolation.whyNoSandbox }, "commands run without a sandbox, each in a copy of its source");
  if (isolation.whyNoTrace !== undefined)
    log.info({ why: isolation.whyNoTrace }, "what plugins read cannot be observed");
  const starter = opened.use(await Spawner.open(join(directories.base, "pipes"), env.PATH ?? ""));
  const commands = { ...commandSettings(flags, serving), isolation, starter };
  const limits = { maxTreeBytes: flags.maxTreeBytes, maxTreeFiles: flags.maxTreeFiles };
  const means = { clock, log, signal: AbortSignal.any([signal, ended.signal]) };
  const tls = flags.tls === "none" ? undefined : await openTls(flags.tls, means);
  const { tokenFile } = flags;
  const readFileToken = ([text = ""]: readonly string[]) => readToken(text, tokenFile ?? "");
  const token = tokenFile === undefined ? undefined : await followFiles([tokenFile], readFileToken, means);
  const services = { clock, log, limits, directories, queue: new RunQueue(maxWaitingRuns) };
  await mkdir(flags.socketDir, { recursive: true });
  let configured = await readPlacedPlugins(flags, commands, log);
  const server = opened.use(
    await PluginServer.start(configured.plugins, {
      ...services,
      version: ownVersion(),
      maxMessageBytes: flags.maxMessageBytes,
      onCall: metrics.onCall,
      pluginService: (plugins) => pluginService(plugins, services),
      ...(tls ? { tls } : {}),
      ...(token === undefined ? {} : { token }),
      anyoneMayCall: flags.anyoneMayCall,
    }),
  );
  log.info(
    { addresses: server.addresses, metricsPort: metrics.port, version: ownVersion() },
    "plugin server is serving",
  );
  serving.onServing?.();
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
  await watchFolders(flags.configDir, { clock, signal }, reread);
}

function commandSettings(
  { maxMessageBytes, execTimeoutMs, wholeEnvironment, network }: PluginServerOptions,
  { env, given = {}, hidden = [] }: Serving,
): Omit<CommandSettings, "isolation" | "starter"> {
  return {
    clock,
    ...{ wholeEnvironment, network },
    // The programs that come along (providedPath) start what is in these.
    readable: [process.execPath, ...comingAlong(env)],
    ...{ given, hidden },
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ""])),
    maxOutputBytes: maxMessageBytes,
    maxStderrBytes: 2 ** 20,
    ...(execTimeoutMs === undefined ? {} : { execTimeoutMs }),
  };
}
