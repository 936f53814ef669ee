import assert from "node:assert/strict";
import { test } from "node:test";
import { LoginThrottle } from "./login-throttle.ts";

function throttle() {
  const time = { ms: 0 };
  return { time, throttle: new LoginThrottle({ now: () => time.ms, sleep: async () => undefined }) };
}

test("the sixth try within five minutes of the fifth failure is refused, a later one is not", () => {
  const { time, throttle: one } = throttle();
  for (let count = 0; count < 5; count += 1) {
    assert.equal(one.isBlocked("admin"), false);
    one.failed("admin");
  }
  assert.equal(one.isBlocked("admin"), true);
  assert.equal(one.isBlocked("other"), false);
  time.ms = 300_000;
  assert.equal(one.isBlocked("admin"), false);
});

test("a success begins anew", () => {
  const { throttle: one } = throttle();
  for (let count = 0; count < 4; count += 1) one.failed("admin");
  one.succeeded("admin");
  one.failed("admin");
  assert.equal(one.isBlocked("admin"), false);
});

test("many names do not push the admin's failures out", () => {
  const { throttle: one } = throttle();
  for (let count = 0; count < 5; count += 1) one.failed("admin");
  for (let count = 0; count < 10_100; count += 1) one.failed(`user-${count}`);
  assert.equal(one.isBlocked("admin"), true);
});
