import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { processRegistry } from "./process-registry.ts";

test("an event loop that was held up says by how much; one at rest is not late", async () => {
  const registry = processRegistry();
  const lag = async (name: string): Promise<number> => {
    const text = await registry.metrics();
    return Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)$`, "m").exec(text)?.[1]);
  };
  await sleep(1_500);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
  await sleep(10);
  const held = await lag("max");
  assert.ok(held > 1 && held < 60, `${held} s`);
  assert.match(await registry.metrics(), /^nodejs_eventloop_lag_stddev_seconds [\d.e-]+$/m);
  await sleep(2_500);
  const atRest = await lag("min");
  assert.ok(atRest < 0.9, `${atRest} s: the time between two looks is no lag`);
});
