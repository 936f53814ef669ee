/**
 * `node bench/plugin-render.ts [--apps 50] [--rounds 1] [--peers …]`: a repository of 3,000 files and 13 MB, N
 * applications by one plugin named without discovery, one commit that changes one file of one of them; with rounds,
 * the median of so many commits, one after another. Only the repository side and the plugin's server run: the cost of
 * clusters and controllers is not in the figures. TMPDIR says where files are made.
 */
import { type GitRepository, lacking } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { type PluginPeer, startPluginBench } from "./plugins/bench-plugins.ts";
import { configMap, createBigRepository, pathOf, pathsOf } from "./plugins/big-repository.ts";
import { costsOf, costsSince } from "./process-cost.ts";
import { type Figures, printFigures } from "./report.ts";

interface Peer extends Pick<PluginPeer, "repo" | "server"> {
  readonly name: string;
  readonly lacking: string | false;
  /** Of spec, beside generate. */
  readonly spec?: string;
  readonly generatePaths?: string;
}

const noStock = lacking("argocd-cmp-server");
const noPair = noStock || lacking("argocd-repo-server");
const declared = 'inputs: {globs: ["*.json"]}';
const observed = "inputs: {observe: true}";
const ours = { lacking: false, repo: "ours" } as const;
const peers: readonly Peer[] = [
  { ...ours, name: "declared", server: "ours", spec: declared },
  { name: "stock pair", lacking: noPair, repo: "stock", server: "stock" },
  { ...ours, name: "declared svc", server: "service", spec: declared },
  { ...ours, name: "observed", server: "ours", spec: observed },
  { ...ours, name: "observed svc", server: "service", spec: observed },
  { ...ours, name: "no inputs", server: "ours" },
  { ...ours, name: "no inputs svc", server: "service" },
  { ...ours, name: "stock+paths", lacking: noStock, server: "stock", generatePaths: "." },
  { ...ours, name: "stock+ours", lacking: noStock, server: "stock" },
];

const { values } = programFlags({
  options: { apps: { type: "string" }, rounds: { type: "string" }, peers: { type: "string" } },
});
const count = Number(values.apps ?? 50);
const rounds = Number(values.rounds ?? 1);
const wanted = values.peers?.split(",");
const cpu = "cpu ms of all processes";

function pluginYaml(spec: string | undefined): string {
  const own = spec === undefined ? "" : `\n  ${spec}`;
  return `apiVersion: v1\nkind: ConfigManagementPlugin\nmetadata: {name: bench}\nspec:${own}\n  generate: {command: [cat, value.json]}\n`;
}

function keepsNothing({ server, generatePaths }: Peer): boolean {
  return server === "stock" && generatePaths === undefined;
}

async function measure(peer: Peer, repository: GitRepository): Promise<Figures> {
  const plugins = [{ name: "bench", yaml: pluginYaml(peer.spec) }];
  await using bench = await startPluginBench({ ...peer, plugins });
  const { repo, pids } = bench;
  const asked = {
    url: repository.url,
    paths: pathsOf(count),
    plugin: "bench",
    ...(peer.generatePaths === undefined ? {} : { generatePaths: peer.generatePaths }),
  };
  const first = await repository.git("rev-parse", "HEAD");
  // A stock server keeps nothing between renders: one shows that all is there.
  const paths = pathsOf(keepsNothing(peer) ? 1 : count);
  const before = await repo.render({ ...asked, paths, revision: first });
  let last = before;
  const found: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const changed = configMap(7, `for ${peer.name} ${round} ${Date.now()}`);
    const revision = await repository.commit({ [`${pathOf(7)}/value.json`]: changed });
    const [costs, runs, started] = [costsOf(pids), bench.runs(), performance.now()];
    const after = await repo.render({ ...asked, revision });
    const wallMs = performance.now() - started;
    const spent = costsSince(costs, costsOf(pids));
    const cpuMs = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + (spent[name]?.cpuSeconds ?? 0) * 1000, 0);
    found.push({
      "wall ms": wallMs,
      [cpu]: cpuMs(Object.keys(spent)),
      "cpu ms of the repo server": cpuMs(["repo"]),
      "plugin runs": bench.runs() - runs,
      ...(last && after
        ? {
            "bytes sent": after.sentBytes - last.sentBytes,
            "blobs sent, or pieces of archives": after.sentPieces - last.sentPieces,
          }
        : {}),
    });
    last = after;
  }
  return medians(found);
}

/** Of each figure by itself. */
function medians(found: readonly Figures[]): Figures {
  const middle = (name: string): number => {
    const sorted = found.map((one) => one[name] ?? 0).toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return Object.fromEntries(Object.keys(found[0] ?? {}).map((name) => [name, middle(name)]));
}

const results: { peer: string; figures: Figures }[] = [];
await using repository = await createBigRepository(count);
for (const peer of peers) {
  if (wanted && !wanted.includes(peer.name)) continue;
  if (peer.lacking) console.log(`${peer.name}: skipped: ${peer.lacking}`);
  else {
    const figures = await measure(peer, repository);
    results.push({ peer: peer.name, figures });
    console.log(peer.name, JSON.stringify(figures));
  }
}
printFigures(`plugin-render, ${count} applications`, results, { ratio: false });
const pair = results.find(({ peer }) => peer === "stock pair")?.figures[cpu];
for (const { peer, figures } of results) {
  const share = pair === undefined ? 0 : pair / Math.max(figures[cpu] ?? 0, 10);
  if (share > 0 && peer !== "stock pair")
    console.log(`${peer}: 1/${share.toFixed(1)} of the stock pair's CPU`);
}
