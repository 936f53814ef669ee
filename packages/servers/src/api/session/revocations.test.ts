import assert from "node:assert/strict";
import { test } from "node:test";
import { createRevocations } from "./revocations.ts";
import { secretKeeper } from "./test-keeper.ts";

function world() {
  const time = { ms: 1_000_000 };
  const { kube, keys: entries } = secretKeeper();
  const start = () =>
    createRevocations({
      kube,
      clock: { now: () => time.ms, sleep: async () => undefined },
      controlNamespace: "argocd",
      sessionMs: () => 1000,
    });
  return { time, entries, start };
}

const token = (id: string, more: object = {}) => ({
  id,
  account: "admin",
  issuedAtMs: 1_000_000,
  endsAtMs: 2_000_000,
  ...more,
});

test("a revoked token is revoked after a restart, others are not; what has ended is forgotten", async () => {
  const { start, time, entries } = world();
  await start().revoke(token("a"));
  const again = start();
  assert.deepEqual([await again.isRevoked(token("a")), await again.isRevoked(token("b"))], [true, false]);
  time.ms = 2_000_001;
  await again.revoke(token("c", { endsAtMs: 3_000_000 }));
  assert.deepEqual(entries(), ["token.c"]);
});

test("whoever logs out hundreds of times ends all sessions of the account; others' stay", async () => {
  const { start, entries } = world();
  const one = start();
  for (let count = 0; count < 201; count += 1) await one.revoke(token(`t${count}`));
  assert.equal(entries().length, 1);
  const again = start();
  assert.equal(await again.isRevoked(token("t7")), true);
  assert.equal(await again.isRevoked(token("other", { issuedAtMs: 1_000_001 })), false);
  assert.equal(await again.isRevoked(token("bob", { account: "bob" })), false);
});

test("while the Secret cannot be read nobody is let in, and it is read again", async () => {
  let isAway = true;
  const { kube } = secretKeeper();
  const one = createRevocations({
    kube: {
      ...kube,
      get: async () => {
        if (isAway) throw new Error("away");
        return undefined;
      },
    },
    clock: { now: () => 0, sleep: async () => undefined },
    controlNamespace: "argocd",
    sessionMs: () => 1000,
  });
  await assert.rejects(one.isRevoked(token("a")), { code: "UNAVAILABLE" });
  isAway = false;
  assert.equal(await one.isRevoked(token("a")), false);
});

test("a token that is revoked at one server is revoked at the others two seconds later", async () => {
  const { start, time } = world();
  const [one, other] = [start(), start()];
  assert.equal(await other.isRevoked(token("a")), false);
  await one.revoke(token("a"));
  time.ms += 2_000;
  assert.equal(await other.isRevoked(token("a")), true);
});

test("what is known holds while the Secret cannot be read any more", async () => {
  const { kube } = secretKeeper();
  const time = { ms: 1_000_000 };
  let isAway = false;
  const one = createRevocations({
    kube: { ...kube, get: () => (isAway ? Promise.reject(new Error("away")) : kube.get()) },
    clock: { now: () => time.ms, sleep: async () => undefined },
    controlNamespace: "argocd",
    sessionMs: () => 1000,
  });
  await one.revoke(token("a"));
  isAway = true;
  time.ms += 2_000;
  assert.deepEqual([await one.isRevoked(token("a")), await one.isRevoked(token("b"))], [true, false]);
});
