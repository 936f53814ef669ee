import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswords } from "./passwords.ts";

test("passwords are hashed and compared in a thread; a damaged hash agrees with nothing", async () => {
  using passwords = createPasswords();
  const hash = await passwords.hash("right", "admin");
  assert.equal(await passwords.matches("right", hash, "a"), true);
  assert.equal(await passwords.matches("wrong", hash, "a"), false);
  assert.equal(await passwords.matches("right", "no hash", "a"), false);
});

test("one caller has a few places of the queue, the others stay free for the rest", async () => {
  using passwords = createPasswords();
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
  using passwords = createPasswords();
  assert.match(await passwords.hash("ä".repeat(36), "a"), /^\$2b\$10\$/);
  await assert.rejects(passwords.hash(`${"ä".repeat(36)}x`, "a"), {
    message: /newPassword: is longer than the 72 bytes that bcrypt takes/,
  });
});
