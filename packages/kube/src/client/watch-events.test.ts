import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transport } from "../transport/transport.ts";
import { createKubeClient } from "./kube-client.ts";
import { KubeError } from "./kube-error.ts";
import { sharingReader } from "./recent-objects.ts";
import { linesOf, readEvent, WatchStream } from "./watch-events.ts";

const readWatchEvents = (texts: AsyncIterable<string>) =>
  new WatchStream(async () => ({ pieces: texts, [Symbol.dispose]: () => undefined }), readEvent);

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

test("a watch is opened when it is read, and closed however it ends", async () => {
  const line = '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{}}}\n';
  const said: string[] = [];
  const watchOf = (...texts: (string | Error)[]) => {
    async function* stream() {
      try {
        for (const text of texts) {
          if (text instanceof Error) throw text;
          yield text;
        }
      } finally {
        said.push("ended");
      }
    }
    const open = async () => {
      said.push("opened");
      return { pieces: stream(), [Symbol.dispose]: () => void said.push("closed") };
    };
    return new WatchStream(open, readEvent);
  };
  const closed = ["opened", "ended", "closed"];
  const unread = watchOf(line);
  assert.deepEqual(said.splice(0), []);
  assert.equal((await unread.return()).done, true);
  assert.equal((await unread.next()).done, true);
  assert.deepEqual(said.splice(0), []);
  for await (const _ of watchOf(line + line, line)) break;
  assert.deepEqual(said.splice(0), closed);
  assert.equal((await collect(watchOf(line.slice(0, 9), line.slice(9) + line, "", line.trim()))).length, 3);
  assert.deepEqual(said.splice(0), closed);
  for (const wrong of [new Error("gone"), "no event\n", '{"type":"ERROR","object":{"code":410}}\n']) {
    const watch = watchOf(line, wrong);
    assert.equal((await watch.next()).done, false);
    await assert.rejects(watch.next());
    assert.deepEqual(said.splice(0), closed);
    assert.equal((await watch.next()).done, true);
  }
  const refused = new WatchStream(() => Promise.reject(new Error("refused")), readEvent);
  await assert.rejects(refused.next(), /refused/);
  assert.equal((await refused.next()).done, true);
});

test("integers beyond 2^53 stay exact", async () => {
  const line =
    '{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{},"big":12345678901234567890}}';
  const [event] = await collect(readWatchEvents(pieces(line)));
  assert.equal(event?.object.big, 12345678901234567890n);
});

test("watches of one client that bring the same change share its object where the client is told to", async () => {
  const pod = (version: string) =>
    `{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u","resourceVersion":"${version}"}}}`;
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

/** As a cluster writes it. */
function told({ value = "a", version = "7", uid = "u", more = "" } = {}): string {
  const metadata = `{"name":"one","uid":"${uid}","resourceVersion":"${version}"${more}}`;
  return `{"kind":"ConfigMap","apiVersion":"v1","metadata":${metadata},"data":{"key":"${value}"}}`;
}

test("what a write answers and a watch tells is one object; of another version or client, or of a dry run, it is not", async () => {
  const row = '{"name":"configmaps","kind":"ConfigMap","namespaced":true,"verbs":["watch","patch"]}';
  let watched = told();
  const transport: Transport = async ({ method, url }) => {
    const event = `{"type":"MODIFIED","object":${watched}}\n`;
    const written = `${told({ value: url.includes("dryRun") ? "b" : "a" })}\n`;
    const body = method === "PATCH" ? written : url.includes("watch=true") ? event : `{"resources":[${row}]}`;
    return { status: 200, headers: {}, body };
  };
  const clock = { now: () => 0, sleep: () => Promise.resolve() };
  const { signal } = new AbortController();
  const ofKind = { apiVersion: "v1", kind: "ConfigMap" };
  for (const sharesWatched of [true, false]) {
    const kube = createKubeClient({ transport, userAgent: "test", clock, sharesWatched });
    const write = (dryRun?: true) =>
      kube.patch(
        { ...ofKind, name: "one", namespace: "x" },
        { type: "merge", body: {} },
        { signal, ...(dryRun && { dryRun }) },
      );
    const watch = async () =>
      (await collect(kube.watch({ ...ofKind, resourceVersion: "0" }, signal)))[0]?.object;
    watched = told();
    const written = await write();
    assert.equal((await watch()) === written, sharesWatched);
    assert.equal((await write()) === written, sharesWatched);
    assert.deepEqual((await write(true)).data, { key: "b" });
    watched = told({ value: "b", version: "8" });
    const other = await watch();
    assert.notEqual(other, written);
    assert.deepEqual(other?.data, { key: "b" });
  }
});

test("a text that differs in anything is no object that was read, whatever version it names first", () => {
  const { answer } = sharingReader();
  const first = answer(told());
  assert.equal(answer(told()), first);
  for (const other of [
    told({ uid: "v" }),
    told({ version: "8" }),
    told({ value: "longer" }),
    told({ more: ',"labels":{}' }),
    told({ value: "b" }),
  ]) {
    assert.notEqual(answer(other), first);
    assert.deepEqual(answer(other), JSON.parse(other));
  }
  // A kube-apiserver writes annotations first, which are whatever a stranger likes.
  const posing = (name: string) =>
    `{"apiVersion":"v1","kind":"X","metadata":{"annotations":{"resourceVersion":"7","uid":"u"},"name":"${name}","resourceVersion":"9","uid":"v"}}`;
  for (const text of [posing("a"), posing("b"), posing("a")])
    assert.deepEqual(answer(text), JSON.parse(text));
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
