import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, freePorts, startCmpServer, startProcess } from "@capstan/testkit";
import { startOurPluginServer } from "../../compat/plugins/our-plugin-server.ts";
import { type RepoPeer, startRepoProcess } from "./repo-peer.ts";
import { startStockRepoServer } from "./stock-repo-server.ts";

export interface PluginPeer {
  /** Who renders. */
  readonly repo: "stock" | "ours";
  /** Who runs the plugins: argocd-cmp-server or `capstan plugin-server`, as sidecars or as a service. */
  readonly server: "stock" | "ours" | "service";
  /** A plugin.yaml each. */
  readonly plugins: readonly { readonly name: string; readonly yaml: string }[];
}

export interface PluginBench extends AsyncDisposable {
  readonly repo: RepoPeer;
  readonly pids: Readonly<Record<string, number>>;
  /** Commands of plugins that have run. */
  runs(): number;
}

type Server = AsyncDisposable & { readonly pid: number; output(): string };

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

/** A repo server and plugin servers as processes of their own, so that what each costs can be told. */
export async function startPluginBench({ repo, server, plugins }: PluginPeer): Promise<PluginBench> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const pluginSockets = join(dir, "sockets");
  const servers: Server[] = [];
  const services = [];
  for (const { name, yaml } of plugins) {
    const started = await startServer({ dir: join(dir, name), pluginSockets, server, name, yaml });
    servers.push(opened.use(started));
    const endpoint = { host: "127.0.0.1", port: started.port, process: name, workload: name };
    if (server === "service") services.push({ name, endpoints: [endpoint] });
  }
  const rendering = opened.use(
    repo === "stock"
      ? await startStockRepoServer(dir, pluginSockets)
      : await startRepoProcess({ dir, pluginSockets, services }),
  );
  const closing = opened.move();
  return {
    repo: rendering,
    pids: {
      repo: rendering.pid,
      ...Object.fromEntries(servers.map(({ pid }, index) => [`plugin-${index}`, pid])),
    },
    runs: () =>
      servers.reduce((sum, { output }) => sum + output().split("Plugin command successful").length - 1, 0),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function startServer(of: {
  dir: string;
  pluginSockets: string;
  server: PluginPeer["server"];
  name: string;
  yaml: string;
}): Promise<Server & { port: number }> {
  const { dir, pluginSockets, server, name, yaml } = of;
  if (server === "stock") return Object.assign(await startCmpServer(yaml, { pluginSockets }), { port: 0 });
  if (server === "ours")
    return Object.assign(await startOurPluginServer(yaml, { socketName: `${name}.sock`, pluginSockets }), {
      port: 0,
    });
  const [port = 0] = await freePorts(1);
  const config = join(dir, "config");
  await mkdir(config, { recursive: true });
  const address = `spec:\n  listenAddress: "127.0.0.1:${port}"`;
  await writeFile(join(config, "plugin.yaml"), yaml.replace("spec:", address));
  const env = { ...process.env, ARGOCD_CMP_WORKDIR: join(dir, "work") };
  const folders = ["--config-dir-path", config, "--socket-dir", join(dir, "sockets")];
  const args = [launcher, "plugin-server", ...folders, "--anyone-may-call"];
  const started = startProcess(process.execPath, args, { env });
  await eventually(async () => started.output().includes("is serving") || undefined, {
    signal: AbortSignal.timeout(30_000),
    describe: started.output,
  });
  return Object.assign(started, { port });
}
