/**
 * A worker thread that asks an address every so often and tells its parent the milliseconds of each answer: whatever
 * else the parent does (git's servers and programs, say) is not in them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, token, everyMs } = workerData as AskerData;

export interface AskerData {
  readonly url: string;
  readonly token: string;
  readonly everyMs: number;
}

const headers = { authorization: `Bearer ${token}` };
for (;;) {
  const sent = performance.now();
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  parentPort?.postMessage(performance.now() - sent);
  await sleep(everyMs);
}
