import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue } from "./fair-queue.ts";

test("whoever has used least is next, however much others have waiting", () => {
  const queue = new FairQueue<{ id: string }>();
  const served: string[] = [];
  for (let at = 0; at < 50; at += 1) queue.add("greedy", { id: `greedy ${at}` });
  const serve = (cost: number): void => {
    const next = queue.take();
    if (!next) return;
    served.push(next.work.id);
    queue.charge(next.asker, cost);
  };
  serve(1_000);
  for (let at = 0; at < 3; at += 1) queue.add("modest", { id: `modest ${at}` });
  for (let at = 0; at < 5; at += 1) serve(served.length > 3 ? 1_000 : 1);
  assert.deepEqual(served, ["greedy 0", "modest 0", "modest 1", "modest 2", "greedy 1", "greedy 2"]);
});
