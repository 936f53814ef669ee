import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedClusterProcess, startCapstan } from "@capstan/testkit";
import { changeApplication } from "../api/objects.ts";
import type { Figures } from "../report.ts";
import { isData, isScript, lookAt } from "./looked-at.ts";

interface Input {
  readonly cluster: EmbeddedClusterProcess;
  readonly apps: number;
  readonly program: string | undefined;
  readonly dataDir: string;
}

const [changesPerSecond, seconds] = [18, 15];

/** A server that does nothing else, and nothing reconciles. */
export async function listFigures({ cluster, apps, program, dataDir }: Input): Promise<Figures> {
  const flags = ["--no-samples", "--no-controllers", "--kubeconfig", cluster.kubeconfig];
  await using capstan = await startCapstan({ flags, dataDir, ...(program !== undefined && { program }) });
  const token = await capstan.token();
  const all = `${apps.toLocaleString("en")} applications`;
  await serverIsWarm(capstan.url, token);
  await using looked = await lookAt(capstan.url, token);
  const { page } = looked;
  const started = performance.now();
  await page.goto(`${looked.url}/applications`, { waitUntil: "commit" });
  await page.locator(".app-row").first().waitFor();
  const firstRowMs = performance.now() - started;
  await page.getByText(all).waitFor();
  const wholeMs = performance.now() - started;
  const openedBusyMs = await looked.busyMs();
  const [data, scripts] = [looked.bytes(isData), looked.bytes(isScript)];
  // What the page loads once it is quiet is not part of the changes' cost.
  await sleep(5_000);
  const before = { busyMs: await looked.busyMs(), bytes: looked.bytes(isData), at: performance.now() };
  await changeAll(cluster, apps);
  await sleep(500);
  const passedMs = performance.now() - before.at;
  const busy = (await looked.busyMs()) - before.busyMs;
  const changed = looked.bytes(isData) - before.bytes;
  const heap = await looked.heap();
  const again = looked.bytes(isData);
  await page.getByRole("link", { name: "Projects" }).first().click();
  await page.waitForURL("**/projects");
  await page.goBack();
  await page.getByText(all).waitFor();
  const second = await page.context().newPage();
  await second.goto(`${looked.url}/applications`);
  await second.getByText(all).waitFor();
  return {
    "cold: first row, ms": firstRowMs,
    "cold: all of them, ms": wholeMs,
    "cold: main thread, ms": openedBusyMs,
    "cold: data, KB": data / 1_000,
    "cold: scripts, KB": scripts / 1_000,
    "18 changes a second: main thread, %": (busy / passedMs) * 100,
    "18 changes a second: KB for each": changed / 1_000 / (changesPerSecond * seconds),
    "heap, MB": heap,
    "back to it and a second window: KB": (looked.bytes(isData) - again) / 1_000,
  };
}

/** The first who asks waits for what the server makes once. */
async function serverIsWarm(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/applications?limit=1&sort=state`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
}

let round = 0;

async function changeAll({ kube }: EmbeddedClusterProcess, apps: number): Promise<void> {
  round += 1;
  const begun = performance.now();
  const under: Promise<void>[] = [];
  for (let change = 0; change < changesPerSecond * seconds; change += 1) {
    const dueMs = (change * 1_000) / changesPerSecond - (performance.now() - begun);
    if (dueMs > 0) await sleep(dueMs);
    under.push(changeApplication(kube, (change * 37) % apps, round));
  }
  await Promise.all(under);
}
