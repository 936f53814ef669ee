/**
 * `node bench/plugin-render.ts [--apps 50] [--peers …]`: a repository of 3,000 files and 13 MB, N applications by one
 * plugin named without discovery, one commit that changes one file of one of them. Only the repository side and the
 * plugin's server run: the cost of clusters and controllers is not in the figures.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  eventually,
  freePorts,
  type GitRepository,
  lacking,
  startCmpServer,
  startProcess,
} from "@capstan/testkit";
import { startOurPluginServer } from "../compat/plugins/our-plugin-server.ts";
import { configMap, createBigRepository, pathOf, pathsOf } from "./plugins/big-repository.ts";
import { type RepoPeer, startRepoProcess } from "./plugins/repo-peer.ts";
import { startStockRepoServer } from "./plugins/stock-repo-server.ts";
import { costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

interface Peer {
  readonly name: string;
  readonly lacking: string | false;
  readonly spec: string;
  readonly server: "stock" | "ours" | "service";
  readonly repo: "stock" | "ours";
}

const noStock = lacking("argocd-cmp-server");
const noPair = noStock || lacking("argocd-repo-server");
const peers: readonly Peer[] = [
  { name: "declared", lacking: false, spec: 'inputs: {globs: ["*.json"]}', server: "ours", repo: "ours" },
  { name: "service", lacking: false, spec: 'inputs: {globs: ["*.json"]}', server: "service", repo: "ours" },
  { name: "observed", lacking: false, spec: "inputs: {observe: true}", server: "ours", repo: "ours" },
  { name: "no inputs", lacking: false, spec: "", server: "ours", repo: "ours" },
  { name: "stock+ours", lacking: noStock, spec: "", server: "stock", repo: "ours" },
  { name: "stock pair", lacking: noPair, spec: "", server: "stock", repo: "stock" },
];

interface Places {
  dir: string;
  pluginSockets: string;
  port: number;
}

type Started = AsyncDisposable & { readonly pid: number };

const launcher = join(import.meta.dirname, "..", "bin", "capstan.js");
const { values } = parseArgs({ options: { apps: { type: "string" }, peers: { type: "string" } } });
const count = Number(values.apps ?? 50);
const wanted = values.peers?.split(",");

function pluginYaml(spec: string): string {
  const own = spec === "" ? "" : `\n  ${spec}`;
  return `apiVersion: v1\nkind: ConfigManagementPlugin\nmetadata: {name: bench}\nspec:${own}\n  generate: {command: [cat, value.json]}\n`;
}

async function startServer(peer: Peer, { dir, pluginSockets, port }: Places): Promise<Started> {
  const yaml = pluginYaml(peer.spec);
  if (peer.server === "stock") return startCmpServer(yaml, { pluginSockets });
  if (peer.server === "ours") return startOurPluginServer(yaml, { socketName: "bench.sock", pluginSockets });
  const config = join(dir, "config");
  await mkdir(config);
  await writeFile(
    join(config, "plugin.yaml"),
    yaml.replace("spec:", `spec:\n  listenAddress: "127.0.0.1:${port}"`),
  );
  const env = { ...process.env, ARGOCD_CMP_WORKDIR: join(dir, "work") };
  const args = [launcher, "plugin-server", "--config-dir-path", config];
  const server = startProcess(process.execPath, args, { env });
  await eventually(() => server.output().includes("is serving") || undefined, {
    signal: AbortSignal.timeout(30_000),
    describe: server.output,
  });
  return server;
}

async function measure(peer: Peer, repository: GitRepository): Promise<Figures> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const pluginSockets = join(dir, "sockets");
  const [port = 0] = await freePorts(1);
  const places = { dir, pluginSockets, port };
  const server = opened.use(await startServer(peer, places));
  const repo = opened.use(await startRepo(peer, places));
  const [url, paths, plugin] = [repository.url, pathsOf(count), "bench"];
  const first = await repository.git("rev-parse", "HEAD");
  const before = await repo.render({ url, revision: first, paths, plugin });
  const file = `${pathOf(7)}/value.json`;
  const revision = await repository.commit({ [file]: configMap(7, `for ${peer.name}`) });
  const pids = { repo: repo.pid, server: server.pid };
  const costs = costsOf(pids);
  const started = performance.now();
  const after = await repo.render({ url, revision, paths, plugin });
  const wallMs = performance.now() - started;
  const spent = Object.values(costsSince(costs, costsOf(pids)));
  const difference = (left = 0, right = 0) => left - right;
  return {
    "wall ms": wallMs,
    "cpu ms of all processes": spent.reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1000, 0),
    "bytes sent": difference(after.sentBytes, before.sentBytes),
    "plugin runs": peer.repo === "stock" ? count : difference(after.runs, before.runs),
  };
}

function startRepo(peer: Peer, { dir, pluginSockets, port }: Places): Promise<RepoPeer> {
  if (peer.repo === "stock") return startStockRepoServer(dir, pluginSockets);
  const endpoint = { host: "127.0.0.1", port, process: "bench-1", workload: "bench" };
  const services = peer.server === "service" ? [{ name: "bench", endpoints: [endpoint] }] : [];
  return startRepoProcess({ dir, pluginSockets, services });
}

const results: { peer: string; figures: Figures }[] = [];
await using repository = await createBigRepository(count);
for (const peer of peers) {
  if (wanted && !wanted.includes(peer.name)) continue;
  if (peer.lacking) console.log(`${peer.name}: skipped: ${peer.lacking}`);
  else results.push({ peer: peer.name, figures: await measure(peer, repository) });
}
printFigures(`plugin-render, ${count} applications`, results);
const pair = results.find(({ peer }) => peer === "stock pair")?.figures["cpu ms of all processes"];
for (const { peer, figures } of results)
  if (pair && peer !== "stock pair")
    console.log(
      `${peer}: 1/${(pair / (figures["cpu ms of all processes"] ?? 1)).toFixed(0)} of the stock pair's CPU`,
    );
