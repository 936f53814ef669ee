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
