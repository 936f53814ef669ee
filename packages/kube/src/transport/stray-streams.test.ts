import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { startEmbeddedCluster } from "@capstan/testkit";
import { loadPools } from "./undici-pools.ts";

test("answers that come when their requests were given up end no process with their connection", async () => {
  await using cluster = await startEmbeddedCluster();
  const { Pool, request } = await loadPools(false);
  const headers = { authorization: `Bearer ${cluster.token}` };
  let answered = 0;
  for (let round = 0; round < 40; round += 1) {
    const pool = new Pool(cluster.url, { connect: { rejectUnauthorized: false }, connections: 24 });
    const ask = async (signal: AbortSignal | null = null) => {
      const asked = {
        origin: cluster.url,
        path: "/api/v1/configmaps",
        method: "GET",
        headers,
        signal,
      } as const;
      await (await request.call(pool, asked)).body.text();
      answered += 1;
    };
    await Promise.all([ask(), ask(), ask()]);
    const stop = new AbortController();
    const asked = Array.from({ length: 6 }, () => ask(stop.signal));
    for (let turn = 0; turn < round % 4; turn += 1) await setImmediate();
    stop.abort();
    await Promise.allSettled(asked);
    await sleep(5);
    await pool.destroy();
  }
  assert.ok(answered >= 120);
});
