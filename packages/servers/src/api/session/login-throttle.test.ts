import assert from "node:assert/strict";
import { test } from "node:test";
import { LoginThrottle } from "./login-throttle.ts";

function throttle() {
  const time = { ms: 0 };
  return { time, throttle: new LoginThrottle({ now: () => time.ms, sleep: async () => undefined }) };
}

const guesser = { account: "admin", address: "203.0.113.1" };
const owner = { account: "admin", address: "198.51.100.7" };
const session = { ...guesser, tokenId: "t1" };

test("the sixth try within five minutes of the fifth failure is refused, a later one is not", () => {
  const { time, throttle: one } = throttle();
  for (let count = 0; count < 5; count += 1) {
    assert.equal(one.isBlocked(guesser), false);
    one.failed(guesser);
  }
  assert.equal(one.isBlocked(guesser), true);
  assert.equal(one.isBlocked({ ...guesser, account: "other" }), false);
  time.ms = 300_000;
  assert.equal(one.isBlocked(guesser), false);
});

test("the owner comes in from another address, and with a valid session from the same one", () => {
  const { throttle: one } = throttle();
  for (let count = 0; count < 5; count += 1) one.failed(guesser);
  assert.deepEqual(
    [guesser, owner, session].map((attempt) => one.isBlocked(attempt)),
    [true, false, false],
  );
  for (let count = 0; count < 5; count += 1) one.failed(session);
  assert.equal(one.isBlocked(session), true, "whoever stole a session may not guess either");
});

test("a success begins anew", () => {
  const { throttle: one } = throttle();
  for (let count = 0; count < 4; count += 1) one.failed(guesser);
  one.succeeded(guesser);
  one.failed(guesser);
  assert.equal(one.isBlocked(guesser), false);
});

test("many addresses guessing at one account are refused, the owner's former address is not", () => {
  const { throttle: one } = throttle();
  one.succeeded(owner);
  for (let count = 0; count < 200; count += 1) one.failed({ account: "admin", address: `10.0.0.${count}` });
  assert.equal(one.isBlocked({ account: "admin", address: "10.1.1.1" }), true);
  assert.equal(one.isBlocked(owner), false);
  assert.equal(one.isBlocked(session), false);
});

test("one address guessing at many accounts is refused, and an IPv6 network is one address", () => {
  const { throttle: one } = throttle();
  for (let count = 0; count < 100; count += 1)
    one.failed({ account: `user-${count}`, address: `2001:db8:0:1::${count.toString(16)}` });
  assert.equal(one.isBlocked({ account: "new", address: "2001:db8::1:ffff:0:0:1" }), true);
  assert.equal(one.isBlocked({ account: "new", address: "2001:db8:0:2::1" }), false);
});
