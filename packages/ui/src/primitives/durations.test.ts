import assert from "node:assert/strict";
import { test } from "node:test";
import { agoText, spanText, timeOf, tookText, withLocalTimes } from "./durations.ts";

const now = Date.parse("2026-06-01T12:00:00Z");

test("times read as people say them", () => {
  const ago = (ms: number) => agoText(now - ms, now);
  assert.deepEqual([-5000, 3000, 47_000, 185_000, 7_300_000, 90_000_000, 40_000_000_000].map(ago), [
    "just now",
    "just now",
    "40 s ago",
    "3 min ago",
    "2 h ago",
    "1 d ago",
    "1 y ago",
  ]);
});

test("spans keep a decimal only while it matters", () => {
  assert.deepEqual([0.4, 850, 4230, 42_300, 190_000].map(spanText), [
    "0 ms",
    "850 ms",
    "4.2 s",
    "42 s",
    "3 min",
  ]);
});

test("equal seconds are no proof of no time", () => {
  const start = "2026-06-01T12:00:00Z";
  assert.equal(tookText(start, start), "took less than 1 s");
  assert.equal(tookText(start, "2026-06-01T12:00:04Z"), "took 4.0 s");
  assert.deepEqual([tookText(start, undefined), tookText(start, "2026-06-01T11:00:00Z")], ["", ""]);
});

test("a missing or unreadable time is none", () => {
  assert.deepEqual([timeOf(undefined), timeOf(null), timeOf("yesterday")], [undefined, undefined, undefined]);
});

test("a time in a message is this place's", () => {
  const local = new Date("2026-06-01T12:00:00Z").toLocaleString();
  assert.equal(
    withLocalTimes("a.yaml at v1.2.3 (cached failure; tried again after 2026-06-01T12:00:00Z)"),
    `a.yaml at v1.2.3 (cached failure; tried again after ${local})`,
  );
});
