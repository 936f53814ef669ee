import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedLog } from "./bounded-log.ts";

test("what strangers cause is written twenty times a minute, then counted", () => {
  const lines: [object, string][] = [];
  let ms = 0;
  const write = boundedLog((...line) => lines.push(line), { now: () => ms });
  for (let count = 0; count < 100; count += 1) write({ count }, "login failed");
  assert.equal(lines.length, 20);
  ms = 60_000;
  write({ count: 100 }, "login failed");
  assert.deepEqual(lines.slice(20), [
    [{ leftOut: 80 }, "login failed, and more"],
    [{ count: 100 }, "login failed"],
  ]);
});
