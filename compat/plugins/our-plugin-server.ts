import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CmpServer, startProcess, untilServing } from "@capstan/testkit";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** Capstan's plugin server in the place of argocd-cmp-server: a link of that name, its flags and its environment. */
export async function startOurPluginServer(
  pluginYaml: string,
  {
    socketName,
    pluginSockets,
    env = {},
  }: {
    /** None: the file says where it listens. */ socketName: string | undefined;
    pluginSockets?: string;
    env?: Record<string, string>;
  },
): Promise<CmpServer> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-our-cmp-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const sockets = pluginSockets ?? join(dir, "sockets");
  const [config, workDir, bin] = [join(dir, "config"), join(dir, "work"), join(dir, "bin")];
  for (const folder of [sockets, config, workDir, bin]) await mkdir(folder, { recursive: true });
  await writeFile(join(config, "plugin.yaml"), pluginYaml);
  await symlink(launcher, join(bin, "argocd-cmp-server"));
  const places = { ARGOCD_PLUGINSOCKFILEPATH: sockets, ARGOCD_CMP_WORKDIR: workDir, TMPDIR: workDir };
  const open = socketName === undefined ? ["--anyone-may-call"] : [];
  const args = [join(bin, "argocd-cmp-server"), "--config-dir-path", config, ...open];
  const server = opened.use(
    startProcess(process.execPath, args, { env: { ...process.env, ...env, ...places } }),
  );
  const socket = socketName === undefined ? undefined : join(sockets, socketName);
  const isThere = () => socket === undefined || existsSync(socket);
  const isServing = () => isThere() && server.output().includes("is serving");
  await untilServing("the plugin server", server, () => isServing() || undefined);
  const closing = opened.move();
  const { pid, output } = server;
  return { socket: socket ?? "", workDir, pid, output, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
