import assert from "node:assert/strict";
import { test } from "node:test";
import { boundedLog } from "./bounded-log.ts";

test("what strangers cause is written a few times a minute for each address, then counted", () => {
  const lines: [object, string][] = [];
  let ms = 0;
  const write = boundedLog((...line) => lines.push(line), { now: () => ms });
  for (let count = 0; count < 100; count += 1) write({ address: "a" }, "login failed");
  assert.equal(lines.length, 10);
  write({ address: "b" }, "login failed");
  assert.deepEqual(lines.at(-1), [{ address: "b" }, "login failed"]);
  ms = 60_000;
  write({ address: "a" }, "login failed");
  assert.deepEqual(lines.slice(11), [
    [{ leftOut: 90 }, "login failed, and more"],
    [{ address: "a" }, "login failed"],
  ]);
  for (let count = 0; count < 1000; count += 1) write({ address: `x${count}` }, "login failed");
  assert.equal(lines.length, 13 + 99);
});
