import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedCoding, hasTag } from "./content-coding.ts";

const accepted: [header: string | undefined, coding: string | undefined][] = [
  ["gzip, deflate, br", "br"],
  ["gzip, deflate", "gzip"],
  ["GZIP;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=0.1, gzip;q=0.9", "gzip"],
  ["*", "br"],
  ["*;q=0", undefined],
  ["gzip;q=0, *", "br"],
  ["brotli, xgzip", undefined],
  ["identity", undefined],
  ["", undefined],
  [undefined, undefined],
  [`${"x,".repeat(100)}gzip`, undefined],
];
for (const [header, coding] of accepted)
  test(`who accepts ${String(header).slice(0, 40)} gets ${coding ?? "it as it is"}`, () =>
    assert.equal(acceptedCoding(header), coding));

test("a tag is had when it is one of those that the caller names", () => {
  assert.ok(hasTag('"a"', '"a"'));
  assert.ok(hasTag('W/"a"', '"a"'));
  assert.ok(hasTag('"x", W/"a"', 'W/"a"'));
  assert.ok(hasTag("*", '"a"'));
  assert.ok(!hasTag('"b"', '"a"'));
  assert.ok(!hasTag(undefined, '"a"'));
});
