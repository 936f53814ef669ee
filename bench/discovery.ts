/**
 * `node bench/discovery.ts [--apps 500] [--stock-apps 10] [--peers …]`: five installed plugins with discovery, N
 * applications of plain YAML that are none of theirs, all in the repository of plugin-render. What it costs to find
 * that out, and how much is sent; then once more after a commit that changes one file. The stock server and the peers
 * whose discovery is a command, which runs for each application and plugin, are asked for fewer.
 */
import { type GitRepository, lacking } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { type PluginPeer, startPluginBench } from "./plugins/bench-plugins.ts";
import { configMap, createBigRepository, pathOf, pathsOf } from "./plugins/big-repository.ts";
import type { Sent } from "./plugins/repo-peer.ts";
import { costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

interface Peer extends Pick<PluginPeer, "repo" | "server"> {
  readonly name: string;
  readonly lacking: string | false;
  readonly count: number;
  readonly find: keyof typeof rules;
}

const options = {
  apps: { type: "string" },
  "stock-apps": { type: "string" },
  peers: { type: "string" },
} as const;
const { values } = programFlags({ options });
const count = Number(values.apps ?? 500);
const stockCount = Math.min(Number(values["stock-apps"] ?? 10), count);
const wanted = values.peers?.split(",");
const noPair = lacking("argocd-cmp-server", "argocd-repo-server");

const byCommand = (name: string) => `find: {command: [sh, -c, 'test -e ${name} && echo yes; true']}`;
const rules = {
  names: [
    "fileName: Kptfile",
    "fileName: 'helmfile*.yaml'",
    "find: {glob: '**/cdk8s.yaml'}",
    "find: {glob: '**/*.tanka'}",
    "find: {glob: '*/**/jkcfg.js'}",
  ],
  command: ["Kptfile", "helmfile.yaml", "cdk8s.yaml", "main.tanka", "jkcfg.js"].map(byCommand),
};
const ours = { lacking: false, repo: "ours" } as const;
const peers: readonly Peer[] = [
  { ...ours, name: "capstan", server: "ours", find: "names", count },
  { name: "stock pair", lacking: noPair, repo: "stock", server: "stock", find: "names", count: stockCount },
  { ...ours, name: "capstan svc", server: "service", find: "names", count },
  { ...ours, name: "command", server: "ours", find: "command", count: stockCount },
  { ...ours, name: "command svc", server: "service", find: "command", count: stockCount },
  {
    ...ours,
    name: "command stock+ours",
    lacking: lacking("argocd-cmp-server"),
    server: "stock",
    find: "command",
    count: stockCount,
  },
];

const pluginsBy = (find: Peer["find"]) =>
  rules[find].map((rule, index) => ({
    name: `plugin-${index}`,
    yaml: `apiVersion: v1\nkind: ConfigManagementPlugin\nmetadata: {name: plugin-${index}}\nspec:\n  discover: {${rule}}\n  generate: {command: [cat, value.json]}\n`,
  }));

async function measure(peer: Peer, repository: GitRepository): Promise<Figures> {
  await using bench = await startPluginBench({ ...peer, plugins: pluginsBy(peer.find) });
  const paths = pathsOf(peer.count);
  const ask = async (): Promise<Cost> => {
    const revision = await repository.git("rev-parse", "HEAD");
    const [costs, started] = [costsOf(bench.pids), performance.now()];
    const sent = await bench.repo.render({ url: repository.url, revision, paths });
    const wallMs = performance.now() - started;
    const spent = Object.values(costsSince(costs, costsOf(bench.pids)));
    return { wallMs, cpuMs: spent.reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1000, 0), sent };
  };
  const first = await ask();
  await repository.commit({ [`${pathOf(0)}/value.json`]: configMap(0, `for ${peer.name} ${Date.now()}`) });
  const next = await ask();
  return {
    applications: peer.count,
    "wall ms": first.wallMs,
    "cpu ms of all processes": first.cpuMs,
    "cpu ms for each application": first.cpuMs / peer.count,
    ...sentSince(first, undefined, ""),
    "after a commit: cpu ms": next.cpuMs,
    ...sentSince(next, first, "after a commit: "),
  };
}

interface Cost {
  wallMs: number;
  cpuMs: number;
  sent: Sent | undefined;
}

function sentSince({ sent }: Cost, before: Cost | undefined, when: string): Figures {
  if (!sent) return {};
  const { archives = 0, sentBytes = 0, sentPieces = 0 } = before?.sent ?? {};
  return {
    [`${when}archives made`]: sent.archives - archives,
    [`${when}bytes sent`]: sent.sentBytes - sentBytes,
    [`${when}blobs sent, or pieces of archives`]: sent.sentPieces - sentPieces,
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
