import assert from "node:assert/strict";
import { test } from "node:test";
import { LaterWork } from "./later-work.ts";

const silent = () => undefined;

function openWork() {
  const errors: object[] = [];
  const log = { debug: silent, info: silent, warn: silent, error: (fields: object) => errors.push(fields) };
  return { later: new LaterWork(log), errors };
}

test("work begins after the answer, and is waited for at the end", async () => {
  const { later } = openWork();
  const done: string[] = [];
  await later.add("a", async () => done.push("work"));
  done.push("answer");
  await later.settle();
  assert.deepEqual(done, ["answer", "work"]);
});

test("what fails is logged with what it was, and stops nothing", async () => {
  const { later, errors } = openWork();
  const error = new Error("no room");
  await later.add("removing x", () => Promise.reject(error));
  let ran = false;
  await later.add("y", async () => {
    ran = true;
  });
  await later.settle();
  assert.deepEqual([errors, ran], [[{ what: "removing x", error }], true]);
});

test("who adds while much is under way waits for some of it", async () => {
  const { later } = openWork();
  const open = Promise.withResolvers<void>();
  let added = 0;
  const adding = Promise.all(
    Array.from({ length: 40 }, async () => {
      await later.add("z", () => open.promise);
      added += 1;
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(added, 16);
  open.resolve();
  await adding;
  await later.settle();
  assert.equal(added, 40);
});
