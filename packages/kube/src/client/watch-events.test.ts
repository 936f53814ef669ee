import assert from "node:assert/strict";
import { test } from "node:test";
import { KubeError } from "./kube-error.ts";
import { linesOf, WatchReader } from "./watch-events.ts";

const readWatchEvents = (texts: AsyncIterable<string>) => new WatchReader().read(texts);

async function* pieces(...texts: string[]) {
  yield* texts;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("lines are found wherever the stream was cut", async () => {
  assert.deepEqual(await collect(linesOf(pieces("a", "b\nc\n", "\nd", "", "e"))), ["ab", "c", "de"]);
});

test("events are read, and an ERROR event ends the watch with its status", async () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
  const added = JSON.stringify({ type: "ADDED", object });
  assert.deepEqual(await collect(readWatchEvents(pieces(`${added}\n`))), [{ type: "ADDED", object }]);
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
  const expired = JSON.stringify({ type: "ERROR", object: status });
  await assert.rejects(collect(readWatchEvents(pieces(expired))), (error: unknown) => {
    assert.ok(error instanceof KubeError);
    assert.deepEqual([error.code, error.reason, error.message], [410, "Expired", "too old"]);
    return true;
  });
});

test("integers beyond 2^53 stay exact", async () => {
  const line =
    '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{},"big":12345678901234567890}}';
  const [event] = await collect(readWatchEvents(pieces(line)));
  assert.equal(event?.object.big, 12345678901234567890n);
});

test("watches of one client that bring the same change share its object", async () => {
  const reader = new WatchReader();
  const line = (version: string) =>
    `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"${version}"}}}\n`;
  const [[first], [second, later]] = await Promise.all([
    collect(reader.read(pieces(line("1")))),
    collect(reader.read(pieces(line("1"), line("2")))),
  ]);
  assert.ok(first);
  assert.equal(first.object, second?.object);
  assert.equal(later?.object.metadata.resourceVersion, "2");
});
