import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ComparisonSchedule } from "./comparison-schedule.ts";

const minutes = 60_000;
const intervals = { reconcileMs: 3 * minutes, reconcileJitterMs: minutes, hardReconcileMs: undefined };

test("what is due at once is one comparison of the highest level, hard when one of them is", () => {
  const schedule = new ComparisonSchedule();
  schedule.ask({ level: 2, reason: "settings", atMs: 5 });
  schedule.ask({ level: 1, reason: "a window", atMs: 3 });
  assert.deepEqual(schedule.take(10), { level: 2, hard: false, reason: "settings" });
  assert.equal(schedule.take(10), undefined);
  schedule.ask({ level: 3, reason: "a retry", atMs: 12 });
  schedule.ask({ level: 2, hard: true, reason: "hard", atMs: 12 });
  const also = [{ level: 2 as const, hard: false, reason: "not compared yet" }];
  assert.deepEqual(schedule.take(12, also), { level: 3, hard: true, reason: "hard" });
});

test("what is due later stays, and is known as the next time", () => {
  const schedule = new ComparisonSchedule();
  schedule.ask({ level: 1, reason: "later", atMs: 50 });
  schedule.ask({ level: 1, reason: "sooner", atMs: 20 });
  schedule.ask({ level: 3, reason: "much later", atMs: 90 });
  assert.equal(schedule.take(19), undefined);
  assert.equal(schedule.nextAt(19), 20);
  assert.equal(schedule.take(20)?.reason, "sooner");
  assert.equal(schedule.nextAt(20), 90);
});

test("a comparison of what lives answers those who asked for no more, and nobody else", () => {
  const schedule = new ComparisonSchedule();
  schedule.ask({ level: 1, ofLive: true, reason: "an object changed", atMs: 5 });
  schedule.ask({ level: 1, reason: "the application changed", atMs: 5 });
  schedule.ask({ level: 2, learns: true, reason: "a newer commit", atMs: 5 });
  schedule.comparesLive(5);
  assert.deepEqual(schedule.take(5), { level: 2, hard: false, reason: "a newer commit" });
  schedule.ask({ level: 1, ofLive: true, reason: "a Pod changed", atMs: 30 });
  schedule.comparesLive(10);
  assert.equal(schedule.nextAt(10), 30);
  schedule.comparesLive(30);
  assert.equal(schedule.isAsked, false);
});

test("a clock that is set back does not put a comparison off", () => {
  const schedule = new ComparisonSchedule();
  const now = 1_000 * minutes;
  schedule.begun({ level: 2, hard: false, reason: "first" }, now, intervals);
  assert.equal(schedule.nextAt(now - 500 * minutes), now - 500 * minutes);
  assert.equal(schedule.take(now - 500 * minutes)?.reason, "resync");
});

test("an interval of zero makes nothing due by time", () => {
  const schedule = new ComparisonSchedule();
  const never = { reconcileMs: undefined, reconcileJitterMs: minutes, hardReconcileMs: undefined };
  schedule.begun({ level: 2, hard: false, reason: "first" }, 0, never);
  assert.equal(schedule.nextAt(0), undefined);
  assert.equal(schedule.take(1_000_000 * minutes), undefined);
});

type Event = { kind: "ask"; level: 1 | 2 | 3; inMs: number } | { kind: "pass"; ms: number; failing: boolean };

const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant("ask" as const),
    level: fc.constantFrom(1 as const, 2 as const, 3 as const),
    inMs: fc.integer({ min: -1000, max: 5 * minutes }),
  }),
  fc.record({
    kind: fc.constant("pass" as const),
    ms: fc.integer({ min: 0, max: 6 * minutes }),
    failing: fc.boolean(),
  }),
);

test("whatever is asked for and fails, the repository is looked at within interval and jitter, and nothing taken is due at once again", () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 60 }), (sequence) => {
      const schedule = new ComparisonSchedule();
      let now = 0;
      let looked = 0;
      const look = (fails: boolean) => {
        const due = schedule.take(now);
        if (!due) return;
        schedule.begun(due, now, intervals);
        if (due.level > 1) looked = now;
        if (fails) schedule.ask({ ...due, atMs: now + 20_000 });
        assert.ok((schedule.nextAt(now) ?? now) > now);
      };
      schedule.ask({ level: 2, reason: "not compared yet", atMs: now });
      look(false);
      for (const event of sequence) {
        if (event.kind === "ask")
          schedule.ask({ level: event.level, reason: "asked", atMs: now + event.inMs });
        const end = event.kind === "pass" ? now + event.ms : now;
        for (let at = schedule.nextAt(now); at !== undefined && at <= end; at = schedule.nextAt(now)) {
          now = Math.max(now, at);
          look(event.kind === "pass" && event.failing);
        }
        now = end;
        assert.ok(now - looked <= intervals.reconcileMs + intervals.reconcileJitterMs);
      }
    }),
  );
});

test("a newer commit alone is told from one beside which something else asks for a comparison", () => {
  const schedule = new ComparisonSchedule();
  const learned = { level: 2 as const, learns: true, reason: "a newer commit", atMs: 5 };
  schedule.ask(learned);
  assert.equal(schedule.take(5)?.learns, true);
  for (const other of [
    { level: 1 as const, reason: "an object changed", atMs: 5 },
    { level: 2 as const, reason: "the project changed", atMs: 5 },
  ]) {
    schedule.ask(learned);
    schedule.ask(other);
    const due = schedule.take(5);
    assert.deepEqual([due?.level, due?.learns], [2, undefined]);
  }
});
