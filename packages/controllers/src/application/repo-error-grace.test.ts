import assert from "node:assert/strict";
import { test } from "node:test";
import { repoErrorGraceMs } from "./repo-error-grace.ts";

const cases = [
  ["600", 600_000],
  ["5m", 300_000],
  ["0", 0],
  ["-1s", 180_000],
  ["soon", 180_000],
] as const;
for (const [text, ms] of cases)
  test(`controller.repo.error.grace.period.seconds: ${text} is ${ms} ms`, () => {
    const params = { "controller.repo.error.grace.period.seconds": text };
    const needs = { settings: { current: { params } }, options: { repoErrorGraceMs: 180_000 } };
    assert.equal(repoErrorGraceMs(needs), ms);
  });
