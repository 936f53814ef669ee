import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CmpServer, startProcess, untilServing } from "@capstan/testkit";
import { readPluginServerOptions } from "../../processes/plugin-server/options.ts";
import { servePlugins } from "../../processes/plugin-server/serve-plugins.ts";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const unheard = () => undefined;

interface Place {
  /** None: the file says where it listens. */
  socketName: string | undefined;
  pluginSockets?: string;
  env?: Record<string, string>;
}

/** Capstan's plugin server in the place of argocd-cmp-server: a link of that name, its flags and its environment. */
export async function startOurPluginServer(pluginYaml: string, place: Place): Promise<CmpServer> {
  await using opened = new AsyncDisposableStack();
  const { dir, sockets, config, workDir } = await openFolders(opened, pluginYaml, place);
  const bin = join(dir, "bin");
  await mkdir(bin);
  await symlink(launcher, join(bin, "argocd-cmp-server"));
  const places = { ARGOCD_PLUGINSOCKFILEPATH: sockets, ARGOCD_CMP_WORKDIR: workDir, TMPDIR: workDir };
  const open = place.socketName === undefined ? ["--anyone-may-call"] : [];
  const args = [join(bin, "argocd-cmp-server"), "--config-dir-path", config, ...open];
  const server = opened.use(
    startProcess(process.execPath, args, { env: { ...process.env, ...place.env, ...places } }),
  );
  const socket = place.socketName === undefined ? undefined : join(sockets, place.socketName);
  const isThere = () => socket === undefined || existsSync(socket);
  const isServing = () => isThere() && server.output().includes("is serving");
  await untilServing("the plugin server", server, () => isServing() || undefined);
  const closing = opened.move();
  const { pid, output } = server;
  return { socket: socket ?? "", workDir, pid, output, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** The same within this process: to start the program takes longer than most of what is asked of it. */
export async function servePluginsHere(pluginYaml: string, place: Place): Promise<CmpServer> {
  await using opened = new AsyncDisposableStack();
  const { sockets, config, workDir } = await openFolders(opened, pluginYaml, place);
  const flags = { "config-dir-path": config, "socket-dir": sockets, "work-dir": workDir };
  const env = { ...process.env, ...place.env };
  const options = readPluginServerOptions({ ...flags, "anyone-may-call": !place.socketName }, env);
  const stopping = new AbortController();
  const serving = Promise.withResolvers<void>();
  const log = { debug: unheard, info: unheard, warn: unheard, error: unheard };
  const around = { env, log, signal: stopping.signal, onServing: serving.resolve };
  const ended = servePlugins(options, around);
  ended.catch(serving.reject);
  opened.defer(async () => {
    stopping.abort(new Error("stopped"));
    await ended;
  });
  await serving.promise;
  const closing = opened.move();
  return {
    socket: place.socketName === undefined ? "" : join(sockets, place.socketName),
    workDir,
    pid: process.pid,
    output: () => "",
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function openFolders(opened: AsyncDisposableStack, pluginYaml: string, { pluginSockets }: Place) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-our-cmp-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const sockets = pluginSockets ?? join(dir, "sockets");
  const [config, workDir] = [join(dir, "config"), join(dir, "work")];
  for (const folder of [sockets, config, workDir]) await mkdir(folder, { recursive: true });
  await writeFile(join(config, "plugin.yaml"), pluginYaml);
  return { dir, sockets, config, workDir };
}
