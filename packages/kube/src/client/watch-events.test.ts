import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transport } from "../transport/transport.ts";
import { createKubeClient } from "./kube-client.ts";
import { KubeError } from "./kube-error.ts";
import { sharingReader } from "./recent-objects.ts";
import { linesOf, readEvent, readWatch } from "./watch-events.ts";

const readWatchEvents = (texts: AsyncIterable<string>) => readWatch(texts, readEvent);

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

test("watches of one client that bring the same change share its object where the client is told to", async () => {
  const pod = (version: string) =>
    `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"${version}"}}}`;
  const answers: Record<string, string> = {
    "/api/v1": '{"resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["watch"]}]}',
    "/api/v1/pods": `${pod("1")}\n${pod("2")}`,
  };
  const transport: Transport = async ({ url }) => {
    const body = answers[url.split("?", 1)[0] ?? ""] ?? "{}";
    return { status: 200, headers: {}, body };
  };
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const { signal } = new AbortController();
  for (const sharesWatched of [true, false]) {
    const kube = createKubeClient({ transport, userAgent: "test", clock, sharesWatched });
    const watched = () =>
      collect(kube.watch({ apiVersion: "v1", kind: "Pod", resourceVersion: "0" }, signal));
    const [[first], [same, later]] = await Promise.all([watched(), watched()]);
    assert.equal(first?.object.metadata.resourceVersion, "1");
    assert.equal(later?.object.metadata.resourceVersion, "2");
    assert.equal(first?.object === same?.object, sharesWatched);
  }
});

test("what a write answers and a watch tells in the same words is one object; in other words, or of another client, it is not", async () => {
  const text = (value: string) =>
    `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","resourceVersion":"7"},"data":{"key":"${value}"}}`;
  const row = '{"name":"configmaps","kind":"ConfigMap","namespaced":true,"verbs":["watch","patch"]}';
  let told = text("a");
  const transport: Transport = async ({ method, url }) => {
    const watched = `{"type":"MODIFIED","object":${told}}\n`;
    const body =
      method === "PATCH" ? `${text("a")}\n` : url.includes("watch=true") ? watched : `{"resources":[${row}]}`;
    return { status: 200, headers: {}, body };
  };
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const { signal } = new AbortController();
  const ofKind = { apiVersion: "v1", kind: "ConfigMap" };
  for (const sharesWatched of [true, false]) {
    const kube = createKubeClient({ transport, userAgent: "test", clock, sharesWatched });
    const write = () =>
      kube.patch({ ...ofKind, name: "one", namespace: "x" }, { type: "merge", body: {} }, { signal });
    const watch = async () =>
      (await collect(kube.watch({ ...ofKind, resourceVersion: "0" }, signal)))[0]?.object;
    told = text("a");
    const written = await write();
    assert.equal((await watch()) === written, sharesWatched);
    assert.equal((await write()) === written, sharesWatched);
    told = text("b");
    const other = await watch();
    assert.notEqual(other, written);
    assert.deepEqual(other?.data, { key: "b" });
  }
});

test("an event is read whole, whatever stands behind its object", async () => {
  const object = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"one"}}';
  const { event } = sharingReader();
  for (const line of [
    `{"type":"ADDED","object":${object},"more":{}}`,
    `{"type":"ADDED","object":${object}}`,
    `{"object":${object},"type":"ADDED"}`,
    ` {"type":"ADDED", "object": ${object} }`,
  ])
    assert.deepEqual(event(line), { type: "ADDED", object: JSON.parse(object) }, line);
  assert.throws(() => event('{"type":"ADDED","object":{"a":{}}'), SyntaxError);
  assert.throws(() => event('{"type":"ADDED","object":{"a":{}}}'), /without an object/);
});
