import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "./retry-after.ts";

test("a server asks to be left alone for seconds, until a date, or until a second since 1970", () => {
  const now = Date.parse("2026-05-04T10:00:00Z");
  assert.equal(readRetryAfter("7", now), 7_000);
  assert.equal(readRetryAfter(" 0 ", now), 0);
  assert.equal(readRetryAfter("Mon, 04 May 2026 10:01:00 GMT", now), 60_000);
  assert.equal(readRetryAfter("Mon, 04 May 2026 09:00:00 GMT", now), 0);
  assert.equal(readRetryAfter(String(now / 1000 + 30), now), 30_000);
  for (const told of [undefined, "", "soon", "-1 h"]) assert.equal(readRetryAfter(told, now), undefined);
});
