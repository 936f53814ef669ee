import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedClock } from "@capstan/testkit";
import { DeliveryDesk, NoPlaceError } from "./delivery-desk.ts";
import { DeliveryMemory } from "./delivery-memory.ts";

const never = () => new Promise<void>(() => undefined);
const ended = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a lane that is stuck holds up no other, has a limit, and lets go after a minute", async () => {
  const clock = stoppedClock();
  const desk = new DeliveryDesk({ clock });
  const problems: string[] = [];
  const keep = (error: unknown) => void problems.push(String(error));
  const stuck = Array.from({ length: 1_004 }, () => desk.deliver("a", ended).catch(keep));
  await assert.rejects(desk.deliver("a", never), NoPlaceError);
  let isDone = false;
  await desk.deliver("b", async () => {
    isDone = true;
  });
  assert.ok(isDone);
  await clock.advance(60_000);
  assert.deepEqual(problems, Array(4).fill("Error: it was not taken within 60 s"));
  const closing = desk.close(5_000);
  await clock.advance(5_000);
  await closing;
  await Promise.all(stuck);
  assert.equal(problems.length, 1_004);
});

test("what is being sent when Capstan ends has some time", async () => {
  const clock = stoppedClock();
  const desk = new DeliveryDesk({ clock });
  const sent = Promise.withResolvers<void>();
  const delivery = desk.deliver("a", () => sent.promise);
  const closing = desk.close(5_000);
  sent.resolve();
  await delivery;
  await closing;
});

test("failures are tried again after growing pauses, and each new reason is said once", () => {
  const memory = new DeliveryMemory("uid");
  assert.ok(memory.mayStart("k", 0));
  assert.ok(memory.failed("k", "away", 0));
  assert.equal(memory.nextAttempt(), 5_000);
  assert.ok(!memory.mayStart("k", 4_999) && memory.mayStart("k", 5_000));
  assert.ok(!memory.failed("k", "away", 5_000));
  assert.equal(memory.nextAttempt(), 15_000);
  assert.ok(memory.failed("k", "refused", 15_000));
  for (const _ of Array(10)) memory.failed("k", "refused", 20_000);
  assert.equal(memory.nextAttempt(), 320_000);
  memory.succeeded("k", 400_500);
  assert.deepEqual([...memory.sent], [["k", 400]]);
  assert.equal(memory.nextAttempt(), undefined);
});

test("to one recipient messages go one after the other, whatever becomes of the first", async () => {
  const memory = new DeliveryMemory("uid");
  const order: string[] = [];
  const begin = (key: string, recipient: string, send: () => Promise<void>) =>
    memory.begin(key, { recipient, send });
  const first = begin("1", "a", async () => {
    await Promise.resolve();
    order.push("first");
    throw new Error("refused");
  });
  const second = begin("2", "a", async () => void order.push("second"));
  const other = begin("3", "b", async () => void order.push("other"));
  assert.deepEqual(
    ["1", "2", "3", "4"].map((key) => memory.mayStart(key, 0)),
    [false, false, false, true],
  );
  await assert.rejects(first, /refused/);
  await Promise.all([second, other]);
  assert.deepEqual(order, ["other", "first", "second"]);
  memory.ended("1");
  assert.equal(memory.mayStart("1", 0), true);
});
