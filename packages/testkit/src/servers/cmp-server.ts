import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { startProcess, untilServing } from "../child-process.ts";
import { isListening } from "../free-port.ts";
import { lacking, realProgram } from "../real-programs.ts";

/** A stock argocd-cmp-server with one plugin, as it runs in a sidecar. */
export interface CmpServer extends AsyncDisposable {
  /** Path of its unix socket. */
  readonly socket: string;
  /** Where it unpacks what it is sent. */
  readonly workDir: string;
  readonly pid: number;
  output(): string;
}

export interface CmpServerOptions {
  /** The folder for its socket: a repo-server's own (RealArgoCD.pluginSockets), else one of the server's own. */
  readonly pluginSockets?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const program = "argocd-cmp-server";

/** The reason to skip, or false. */
export const lackingCmpServer = (): string | false => lacking(program);

export async function startCmpServer(
  pluginYaml: string,
  { pluginSockets, env = {} }: CmpServerOptions = {},
): Promise<CmpServer> {
  const found = realProgram(program);
  if ("absent" in found) throw new Error(found.absent);
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-cmp-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const sockets = pluginSockets ?? join(dir, "sockets");
  const [config, workDir] = [join(dir, "config"), join(dir, "work")];
  for (const folder of [sockets, config, workDir]) await mkdir(folder, { recursive: true });
  await writeFile(join(config, "plugin.yaml"), pluginYaml);
  const places = { ARGOCD_PLUGINSOCKFILEPATH: sockets, ARGOCD_CMP_WORKDIR: workDir, TMPDIR: workDir };
  const socket = join(sockets, socketName(pluginYaml));
  opened.defer(() => rm(socket, { force: true }));
  const server = startProcess(found.path, ["--config-dir-path", config], {
    env: { ...process.env, ...env, ...places },
  });
  // Told to end, it waits for connections that nobody closes.
  opened.defer(() => server.kill("SIGKILL"));
  await untilServing(program, server, async () => (await isListening({ path: socket })) || undefined);
  const closing = opened.move();
  const { pid, output } = server;
  return { socket, workDir, pid, output, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** Argo CD, cmpserver/plugin/config.go: PluginConfig.Address. */
function socketName(pluginYaml: string): string {
  const { metadata, spec } = readFields(load(pluginYaml));
  const name = `${readFields(metadata).name}`;
  const { version } = readFields(spec);
  return version === undefined ? `${name}.sock` : `${name}-${version}.sock`;
}

function readFields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
