import { join } from "node:path";
import { readServeFlags, type ServeOptions, serveFlagsHelp } from "./serve-options.ts";
import { type Around, serveUntilStopped } from "./serve-until-stopped.ts";
import { addressOf } from "./socket-address.ts";

const probeMs = 10_000;
const maxOutputBytes = 100 * 2 ** 20;
const maxStderrBytes = 2 ** 20;

/** The program of a built folder of plugin.yaml: as `serveFolder`, with the flags of its command line. */
export async function serveCommands(folder: string): Promise<void> {
  const { help, ...flags } = readServeFlags(process.argv.slice(2));
  if (help) process.stdout.write(await helpOfCommands(folder));
  else await serveFolder(folder, flags);
}

/**
 * Serves the plugins of a folder's plugin.yaml, each where its spec.listenAddress says, else where the options do,
 * until SIGINT, SIGTERM or the signal. Their commands get the environment of this process, as from argocd-cmp-server,
 * and are found beside the file, too.
 */
export async function serveFolder(folder: string, options: ServeOptions): Promise<void> {
  await serveUntilStopped(options, (around) => placeCommands(folder, options, around));
}

async function placeCommands(folder: string, options: ServeOptions, around: Around) {
  const { clock, log, directories, opened, signal } = around;
  const { commandPlugin, probeIsolation, readPluginFiles, Spawner } = await import("../server.ts");
  const path = `${folder}:${around.env.PATH ?? ""}`;
  const env = { ...around.env, PATH: path };
  const isolation = await probeIsolation(
    path,
    clock,
    AbortSignal.any([signal, AbortSignal.timeout(probeMs)]),
  );
  if (isolation.whyNoSandbox !== undefined)
    log.warn({ why: isolation.whyNoSandbox }, "commands run without a sandbox, each in a copy of its source");
  const starter = opened.use(await Spawner.open(join(directories.base, "pipes"), path));
  const readable = [folder, process.execPath];
  const settings = { clock, env, wholeEnvironment: true, readable, maxOutputBytes, maxStderrBytes };
  const files = await readPluginFiles(folder);
  for (const { file, warnings } of files)
    for (const warning of warnings) log.warn({ file }, `plugin configuration: ${warning}`);
  return Promise.all(
    files.map(async ({ config }) => {
      const { metadata, spec } = config;
      const plugin = commandPlugin(config, { ...settings, isolation, starter });
      // Who starts it says where; the file says it for those who do not.
      const listen = options.listen ?? (process.env.CAPSTAN_PLUGIN_LISTEN || spec.listenAddress);
      const named = { name: metadata.name, version: spec.version ?? "" };
      return { plugin, address: await addressOf(named, listen ? { ...options, listen } : options) };
    }),
  );
}

async function helpOfCommands(folder: string): Promise<string> {
  const { readPluginFiles } = await import("../server.ts");
  const files = await readPluginFiles(folder);
  const names = files.map(({ config: { metadata, spec } }) => {
    const where = spec.listenAddress === undefined ? "" : ` (${spec.listenAddress})`;
    return `  ${metadata.name}${spec.version ? `-${spec.version}` : ""}${where}`;
  });
  return `Serves the plugins of plugin.yaml for Capstan and Argo CD, each at its socket, or with --listen at an address,
until it is ended.

Usage: node plugin.js [flags]

Plugins:
${names.join("\n")}

${serveFlagsHelp}`;
}
