import assert from "node:assert/strict";
import { test } from "node:test";
import { EventStream } from "./event-stream.ts";

test("a reader gets what was pushed before it came, and after", async () => {
  const stream = new EventStream({ lines: 10, characters: 100 }, () => undefined);
  stream.push("a");
  stream.push("b");
  const reader = stream.read();
  assert.equal((await reader.next()).value, "ab");
  const waiting = reader.next();
  stream.push("c");
  assert.equal((await waiting).value, "c");
  stream.close();
  assert.equal((await reader.next()).done, true);
});

test("a reader that falls behind is cut off, and the source is told", async () => {
  for (const limits of [
    { lines: 2, characters: 100 },
    { lines: 100, characters: 5 },
  ]) {
    let closed = 0;
    const stream = new EventStream(limits, () => {
      closed += 1;
    });
    for (const line of ["aa", "bb", "cc", "dd"]) stream.push(line);
    assert.equal(closed, 1);
    assert.equal((await stream.read().next()).done, true);
  }
});

test("leaving ends the source", async () => {
  let closed = false;
  const stream = new EventStream({ lines: 10, characters: 100 }, () => {
    closed = true;
  });
  const reader = stream.read();
  stream.push("a");
  await reader.next();
  await reader.return(undefined);
  assert.equal(closed, true);
});
