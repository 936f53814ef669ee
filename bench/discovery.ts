/**
 * `node bench/discovery.ts [--apps 500] [--stock-apps 10] [--peers …]`: five installed plugins with discovery, N
 * applications of plain YAML that are none of theirs, all in the repository of plugin-render. What it costs to find
 * that out, and how much is sent. The stock pair is asked for fewer: it sends the repository to each for each.
 */
import { parseArgs } from "node:util";
import { type GitRepository, lacking } from "@capstan/testkit";
import { type PluginPeer, startPluginBench } from "./plugins/bench-plugins.ts";
import { createBigRepository, pathsOf } from "./plugins/big-repository.ts";
import { costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

interface Peer extends Pick<PluginPeer, "repo" | "server"> {
  readonly name: string;
  readonly lacking: string | false;
  readonly count: number;
}

const options = {
  apps: { type: "string" },
  "stock-apps": { type: "string" },
  peers: { type: "string" },
} as const;
const { values } = parseArgs({ options });
const count = Number(values.apps ?? 500);
const stockCount = Math.min(Number(values["stock-apps"] ?? 10), count);
const wanted = values.peers?.split(",");
const noPair = lacking("argocd-cmp-server", "argocd-repo-server");

const peers: readonly Peer[] = [
  { name: "capstan", lacking: false, repo: "ours", server: "ours", count },
  { name: "stock pair", lacking: noPair, repo: "stock", server: "stock", count: stockCount },
  { name: "capstan svc", lacking: false, repo: "ours", server: "service", count },
];

const rules = [
  "fileName: Kptfile",
  "fileName: 'helmfile*.yaml'",
  "find: {glob: '**/cdk8s.yaml'}",
  "find: {glob: '**/*.tanka'}",
  "find: {glob: '*/**/jkcfg.js'}",
];
const plugins = rules.map((rule, index) => ({
  name: `plugin-${index}`,
  yaml: `apiVersion: v1\nkind: ConfigManagementPlugin\nmetadata: {name: plugin-${index}}\nspec:\n  discover: {${rule}}\n  generate: {command: [cat, value.json]}\n`,
}));

async function measure(peer: Peer, repository: GitRepository): Promise<Figures> {
  await using bench = await startPluginBench({ ...peer, plugins });
  const revision = await repository.git("rev-parse", "HEAD");
  const [costs, started] = [costsOf(bench.pids), performance.now()];
  const sent = await bench.repo.render({ url: repository.url, revision, paths: pathsOf(peer.count) });
  const wallMs = performance.now() - started;
  const spent = Object.values(costsSince(costs, costsOf(bench.pids)));
  const cpuMs = spent.reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1000, 0);
  return {
    applications: peer.count,
    "wall ms": wallMs,
    "cpu ms of all processes": cpuMs,
    "cpu ms for each application": cpuMs / peer.count,
    ...(sent ? { "archives made": sent.archives, "bytes sent": sent.sentBytes } : {}),
  };
}

const results: { peer: string; figures: Figures }[] = [];
await using repository = await createBigRepository(count);
for (const peer of peers) {
  if (wanted && !wanted.includes(peer.name)) continue;
  if (peer.lacking) console.log(`${peer.name}: skipped: ${peer.lacking}`);
  else results.push({ peer: peer.name, figures: await measure(peer, repository) });
}
printFigures("discovery, 5 plugins", results);
