import assert from "node:assert/strict";
import { test } from "node:test";
import { keptThrottle } from "./kept-throttle.ts";
import { secretKeeper } from "./test-keeper.ts";

const guesser = { account: "admin", address: "203.0.113.1" };

test("whoever was refused is refused after a restart, until the time is over", async () => {
  const { kube } = secretKeeper();
  let ms = 1_000_000;
  const clock = { now: () => ms, sleep: async () => undefined };
  const start = () => keptThrottle({ kube, controlNamespace: "argocd", clock });
  const first = start();
  for (let count = 0; count < 5; count += 1) await first.failed(guesser);
  const again = start();
  assert.equal(await again.isBlocked(guesser), true);
  assert.equal(await again.isBlocked({ ...guesser, address: "198.51.100.7" }), false);
  ms += 300_000;
  assert.equal(await start().isBlocked(guesser), false);
});

test("whom one server refuses the others refuse two seconds later, and none forgets whom another refuses", async () => {
  const { kube } = secretKeeper();
  let ms = 1_000_000;
  const clock = { now: () => ms, sleep: async () => undefined };
  const start = () => keptThrottle({ kube, controlNamespace: "argocd", clock });
  const [one, other] = [start(), start()];
  assert.equal(await other.isBlocked(guesser), false);
  for (let count = 0; count < 5; count += 1) await one.failed(guesser);
  const second = { ...guesser, account: "blue" };
  for (let count = 0; count < 5; count += 1) await other.failed(second);
  ms += 2_000;
  for (const server of [one, other, start()])
    assert.deepEqual([await server.isBlocked(guesser), await server.isBlocked(second)], [true, true]);
});
