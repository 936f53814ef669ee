/**
 * What the page costs whoever looks at it: a list of 10,000 applications, 18 changes a second, a tree of 2,000 objects,
 * a diff of 9,000 lines. `node bench/page.ts [--apps 10000] [--before BIN] [--argocd-page DIR] [--parts list,large] [--runs 3]`
 */
import { existsSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedCluster } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { noBrowser } from "../packages/ui/browser/page-world.ts";
import { createApplications } from "./api/objects.ts";
import { largeApplicationFigures } from "./page/large-application.ts";
import { listFigures } from "./page/list.ts";
import { argocdServer, capstanServer } from "./page/list-servers.ts";
import { type Figures, printFigures } from "./report.ts";

const options = {
  apps: { type: "string", default: "10000" },
  runs: { type: "string", default: "3" },
  before: { type: "string" },
  "argocd-page": { type: "string" },
  parts: { type: "string", default: "list,large" },
} as const;
const { values } = programFlags({ options });
const apps = wholeNumber("apps", values.apps);
const runs = wholeNumber("runs", values.runs);
const parts = values.parts.split(",");

interface Peer {
  readonly peer: string;
  /** bin/capstan.js of its checkout. */
  readonly program?: string;
  /** Its built page; then it is the real argocd-server. */
  readonly assets?: string;
}

const peers: Peer[] = [{ peer: "capstan" }];
if (values.before !== undefined) peers.push({ peer: "before", program: values.before });

if (noBrowser) throw new Error(noBrowser);
for (const { program } of peers)
  if (program !== undefined && !existsSync(program)) throw new Error(`${program} is not there`);

/** In turns; of each figure its median. */
async function inTurns(
  peers: readonly Peer[],
  measure: (peer: Peer) => Promise<Figures>,
): Promise<{ peer: string; figures: Figures }[]> {
  const all = new Map<string, Figures[]>(peers.map(({ peer }) => [peer, []]));
  for (let run = 0; run < runs; run += 1)
    for (const peer of peers) all.get(peer.peer)?.push(await measure(peer));
  return [...all].map(([peer, figures]) => ({ peer, figures: medians(figures) }));
}

function medians(all: readonly Figures[]): Figures {
  const middle = (name: string) => {
    const sorted = all
      .map((figures) => figures[name] ?? 0)
      .toSorted((left, right) => (left < right ? -1 : 1));
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, middle(name)]));
}

const assets = values["argocd-page"];
const all = assets === undefined ? peers : [...peers, { peer: "argocd", assets }];

if (parts.includes("list")) {
  await using cluster = await startEmbeddedCluster();
  await createApplications(cluster.kube, apps);
  // The admin's password is the cluster's, and the first server's to tell.
  await using data = await mkdtempDisposable(join(tmpdir(), "capstan-bench-page-"));
  printFigures(
    `A list of ${apps} applications, medians of ${runs}`,
    await inTurns(all, async ({ program, assets }) => {
      await using server = assets
        ? await argocdServer(cluster, assets)
        : await capstanServer({ cluster, apps, program, dataDir: data.path });
      return await listFigures({ cluster, apps, server });
    }),
  );
}
if (parts.includes("large"))
  printFigures(
    `A tree of 2,000 objects and a diff of 9,000 lines, medians of ${runs}`,
    await inTurns(all, ({ program, assets }) => largeApplicationFigures({ program, assets })),
  );
