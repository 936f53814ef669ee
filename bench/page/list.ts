import { setTimeout as sleep } from "node:timers/promises";
import type { EmbeddedClusterProcess } from "@capstan/testkit";
import { changeApplication } from "../api/objects.ts";
import type { Figures } from "../report.ts";
import type { ListServer } from "./list-servers.ts";
import { isData, isScript, lookAt } from "./looked-at.ts";

interface Input {
  readonly cluster: EmbeddedClusterProcess;
  readonly apps: number;
  readonly server: ListServer;
}

const [changesPerSecond, seconds] = [18, 15];

export async function listFigures({ cluster, apps, server }: Input): Promise<Figures> {
  await serverIsWarm(server);
  await using looked = await lookAt(server.url, server.token);
  const { page } = looked;
  const started = performance.now();
  await server.open(page, looked.url);
  await page.locator(server.rows).first().waitFor();
  const firstRowMs = performance.now() - started;
  await server.untilWhole(page);
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
  await server.leave(page);
  await page.goBack();
  await server.untilWhole(page);
  const second = await page.context().newPage();
  await server.open(second, looked.url);
  await server.untilWhole(second);
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
async function serverIsWarm({ url, token }: ListServer): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/applications?limit=1&sort=state`, { headers });
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
