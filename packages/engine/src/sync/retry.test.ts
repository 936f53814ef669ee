import assert from "node:assert/strict";
import { test } from "node:test";
import { mayRetry, retryAtMs, retryDelayMs, selfHealDelayMs } from "./retry.ts";

test("waits double from 5 s up to 3 m by default", () => {
  assert.deepEqual(
    [0, 1, 2, 10].map((count) => retryDelayMs(undefined, count)),
    [5000, 10_000, 20_000, 180_000],
  );
});

test("durations, factor and limit are the application's", () => {
  const retry = { limit: 2, backoff: { duration: "1m", factor: 3, maxDuration: "5m" } };
  assert.deepEqual(
    [0, 1, 2].map((count) => retryDelayMs(retry, count)),
    [60_000, 180_000, 300_000],
  );
});

test("a bare number is seconds", () => {
  assert.equal(retryDelayMs({ backoff: { duration: "2" } }, 0), 2000);
});

test("a negative limit has no end, none is zero", () => {
  assert.ok(mayRetry({ retry: { limit: -1 } }, 1000));
  assert.ok(mayRetry({ retry: { limit: 1 } }, 0));
  assert.ok(!mayRetry({ retry: { limit: 1 } }, 1));
  assert.ok(!mayRetry({}, 0));
});

test("the next attempt counts from the end of the last", () => {
  const state = { operation: {}, phase: "Running", startedAt: "2026-01-01T00:00:00Z" } as const;
  assert.equal(retryAtMs({ ...state, finishedAt: "2026-01-01T00:00:10Z" }), Date.UTC(2026, 0, 1, 0, 0, 15));
  assert.equal(retryAtMs(state), undefined);
});

test("self-heal begins at once, then triples up to 300 s", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 9].map((attempts) => selfHealDelayMs(attempts)),
    [0, 2000, 6000, 18_000, 300_000],
  );
});
