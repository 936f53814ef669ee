import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { stoppedClock } from "@capstan/testkit";
import { createPasswords } from "./passwords.ts";

test("passwords are hashed and compared in a thread; a damaged hash agrees with nothing", async () => {
  using passwords = createPasswords(stoppedClock());
  const hash = await passwords.hash("right", "admin");
  assert.equal(await passwords.matches("right", hash, "a"), true);
  assert.equal(await passwords.matches("wrong", hash, "a"), false);
  assert.equal(await passwords.matches("right", "no hash", "a"), false);
});

test("one caller has a few places of the queue, the others stay free for the rest", async () => {
  using passwords = createPasswords(stoppedClock());
  const hash = `$2b$04$${"x".repeat(53)}`;
  const flood = Array.from({ length: 40 }, () =>
    passwords.matches("x", hash, "flood").catch((error) => error.code),
  );
  const owner = passwords.matches("x", hash, "owner");
  const answers = await Promise.all(flood);
  assert.equal(answers.filter((answer) => answer === "QUEUE_FULL").length, 20);
  assert.equal(await owner, false);
});

test("a password of which bcrypt would take a part alone is refused, counted in bytes", async () => {
  using passwords = createPasswords(stoppedClock());
  assert.match(await passwords.hash("ä".repeat(36), "a"), /^\$2b\$10\$/);
  await assert.rejects(passwords.hash(`${"ä".repeat(36)}x`, "a"), {
    message: /newPassword: is longer than the 72 bytes that bcrypt takes/,
  });
});

test("the thread ends once nothing has been asked for a while; the next password starts another", async (t) => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on("worker", note);
  t.after(() => process.off("worker", note));
  const clock = stoppedClock();
  using passwords = createPasswords(clock);
  const hash = `$2b$04$${"x".repeat(53)}`;
  await passwords.matches("x", hash, "a");
  await clock.advance(4_000);
  await passwords.matches("x", hash, "a");
  await clock.advance(4_000);
  assert.equal(threads.length, 1);
  const ended = threads[0] && once(threads[0], "exit", { signal: AbortSignal.timeout(10_000) });
  await clock.advance(1_000);
  await ended;
  assert.equal(await passwords.matches("x", hash, "a"), false);
  assert.equal(threads.length, 2);
});
