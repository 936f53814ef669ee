import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { KubeObject } from "../types.ts";
import { Entry } from "./entry.ts";
import type { EventLogLimits } from "./event-log.ts";
import { Store } from "./store.ts";

function newFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-store-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "cluster.db");
}

function open(t: TestContext, file: string, eventLog?: EventLogLimits): Store {
  const store = new Store({
    file,
    onListenerError: (error) => assert.fail(String(error)),
    ...(eventLog && { eventLog }),
  });
  let open = true;
  const close = store[Symbol.dispose].bind(store);
  store[Symbol.dispose] = () => {
    if (open) close();
    open = false;
  };
  t.after(() => store[Symbol.dispose]());
  return store;
}

function configMap(name: string, extra: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...extra },
  };
}

const type = "/configmaps";

test("every write has a higher revision than all before it, over restarts too", async (t) => {
  const file = newFile(t);
  const first = open(t, file);
  const a = first.put(type, configMap("a"), undefined);
  const b = first.put(type, configMap("b"), undefined);
  const gone = first.remove(b);
  assert.ok(a.revision < b.revision && b.revision < gone.revision);
  await first.flushed();
  first[Symbol.dispose]();
  const second = open(t, file);
  assert.equal(second.revision, gone.revision);
  assert.deepEqual(
    second.list(type).map(({ name, revision }) => [name, revision]),
    [["a", a.revision]],
  );
  assert.ok(second.put(type, configMap("c"), undefined).revision > gone.revision);
});

test("subscribers hear of a change only after it is stored, in order", async (t) => {
  const store = open(t, newFile(t));
  const heard: string[] = [];
  store.subscribe(type, ({ kind, entry }) => heard.push(`${kind} ${entry.name} ${entry.revision}`));
  const a = store.put(type, configMap("a"), undefined);
  const changed = store.put(type, configMap("a", { labels: { x: "y" } }), a);
  store.remove(changed);
  assert.deepEqual(heard, []);
  assert.equal(await store.flushed(), undefined);
  assert.deepEqual(heard, ["ADDED a 1", "MODIFIED a 2", "DELETED a 3"]);
});

test("a change made from an old version is a conflict", (t) => {
  const store = open(t, newFile(t));
  const old = store.put(type, configMap("a"), undefined);
  store.put(type, configMap("a", { labels: { x: "1" } }), old);
  assert.throws(() => store.put(type, configMap("a", { labels: { x: "2" } }), old), {
    code: 409,
    reason: "Conflict",
  });
  assert.throws(() => store.put(type, configMap("a"), undefined), { code: 409 });
});

test("a full disk refuses writes, undoes them, and keeps what was there", async (t) => {
  const store = open(t, newFile(t));
  const kept = store.put(type, configMap("kept"), undefined);
  await store.flushed();
  store.limitPages(8);
  const text = "x".repeat(200_000);
  store.put(type, { ...configMap("big"), data: { text } }, undefined);
  store.put(type, configMap("kept", { labels: { changed: "yes" } }), kept);
  const failure = await store.flushed();
  assert.equal(failure?.code, 507);
  assert.match(failure?.message ?? "", /disk .* is full.*free some space/);
  assert.equal(store.get(type, "default", "big"), undefined);
  assert.equal(store.get(type, "default", "kept")?.object.metadata.labels, undefined);
  store.limitPages(100_000);
  store.put(type, configMap("later"), undefined);
  assert.equal(await store.flushed(), undefined);
});

test("lists are in key order, and a past list is as it was", async (t) => {
  const store = open(t, newFile(t));
  for (const [name, namespace] of [
    ["b", "x"],
    ["a", "y"],
    ["a", "x"],
  ] as const)
    store.put(type, configMap(name, { namespace, uid: `${namespace}-${name}` }), undefined);
  await store.flushed();
  const then = store.revision;
  const names = () => (store.listAt(type, then) ?? []).map(({ namespace, name }) => `${namespace}/${name}`);
  assert.deepEqual(names(), ["x/a", "x/b", "y/a"]);
  const [a, b] = store.list(type, "x");
  assert.ok(a && b);
  store.remove(a);
  store.put(type, configMap("b", { namespace: "x", uid: "x-b", labels: { new: "yes" } }), b);
  store.put(type, configMap("c", { namespace: "x" }), undefined);
  assert.deepEqual(names(), ["x/a", "x/b", "y/a"]);
  await store.flushed();
  assert.deepEqual(names(), ["x/a", "x/b", "y/a"]);
  assert.equal(store.listAt(type, then)?.[1]?.object.metadata.labels, undefined);
});

test("events beyond the window are forgotten, per type", async (t) => {
  const store = open(t, newFile(t), { events: 3, characters: 1_000_000 });
  store.put("/secrets", configMap("s", { uid: "s" }), undefined);
  for (let index = 0; index < 5; index += 1) store.put(type, configMap(`c${index}`), undefined);
  await store.flushed();
  assert.equal(store.eventsSince(type, 1), undefined);
  assert.equal(store.eventsSince(type, 3)?.length, 3);
  assert.equal(store.eventsSince("/secrets", 0), undefined);
  assert.deepEqual(store.eventsSince("/secrets", 1), []);
  assert.equal(store.eventsSince("/pods", 0)?.length, 0);
});

test("dependents are found by their owner's uid, before and after a restart", async (t) => {
  const file = newFile(t);
  const store = open(t, file);
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "uid-owner" };
  store.put(type, configMap("owner"), undefined);
  const child = store.put(type, configMap("child", { ownerReferences: [owner] }), undefined);
  assert.deepEqual(
    store.ownedBy("uid-owner").map(({ name }) => name),
    ["child"],
  );
  store.put(type, configMap("child"), child);
  assert.deepEqual(store.ownedBy("uid-owner"), []);
  store.put(type, configMap("other", { ownerReferences: [owner] }), undefined);
  await store.flushed();
  store[Symbol.dispose]();
  assert.deepEqual(
    open(t, file)
      .ownedBy("uid-owner")
      .map(({ name }) => name),
    ["other"],
  );
});

test("whole numbers beyond 2^53 stay exact", async (t) => {
  const file = newFile(t);
  const store = open(t, file);
  const entry = store.put(type, { ...configMap("big"), value: 9_007_199_254_740_993n }, undefined);
  assert.match(entry.text, /"value":9007199254740993[,}]/);
  await store.flushed();
  store[Symbol.dispose]();
  assert.equal(open(t, file).get(type, "default", "big")?.object.value, 9_007_199_254_740_993n);
});

test("an object of more than 1.5 MiB is refused", (t) => {
  const store = open(t, newFile(t));
  const object = { ...configMap("huge"), data: { text: "x".repeat(1_600_000) } };
  assert.throws(() => store.put(type, object, undefined), { code: 413, reason: "RequestEntityTooLarge" });
});

test("a data folder has one owner at a time", (t) => {
  const file = newFile(t);
  open(t, file);
  assert.throws(
    () => open(t, file),
    /another process has this data folder open: stop it, or choose another folder/,
  );
});

test("kill -9 loses nothing that was acknowledged, and no revision is used twice", async (t) => {
  const file = newFile(t);
  const script = fileURLToPath(import.meta.resolve("./testdata/write-until-killed.ts"));
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const acknowledged: { revision: number; name: string; kept: boolean }[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [revision, name = "", kept] = line.split(" ");
    acknowledged.push({ revision: Number(revision), name, kept: kept === "true" });
    if (acknowledged.length === 300) child.kill("SIGKILL");
  }
  await exited;
  const store = open(t, file);
  const last = acknowledged.at(-1);
  assert.ok(last && store.revision >= last.revision);
  for (const { name, kept } of acknowledged)
    assert.equal(
      store.get(type, "default", name) !== undefined,
      kept,
      `${name} should ${kept ? "" : "not "}be there`,
    );
});

test("what is no news any more is read from the file, and a version that is replaced keeps its text", async (t) => {
  const file = newFile(t);
  const store = open(t, file, { events: 1, characters: 1_000_000 });
  const first = store.put(type, configMap("a", { labels: { version: "1" } }), undefined);
  for (const name of ["b", "c", "d"]) store.put(type, configMap(name), undefined);
  await store.flushed();
  const text = first.text;
  assert.match(text, /"version":"1"/);
  const second = store.put(type, configMap("a", { labels: { version: "2" } }), first);
  assert.equal(first.text, text);
  await store.flushed();
  assert.equal(first.text, text);
  assert.match(second.text, /"version":"2"/);
  // Several versions of one turn, of which none is news any more when they are in the file.
  const versions = [second];
  for (const version of ["3", "4", "5"])
    versions.push(store.put(type, configMap("a", { labels: { version } }), versions.at(-1)));
  await store.flushed();
  const shown = versions.map((entry) => /"version":"(.)"/.exec(entry.text)?.[1]);
  assert.deepEqual(shown, ["2", "3", "4", "5"]);
  const last = store.get(type, "default", "a") ?? second;
  store.remove(last);
  await store.flushed();
  assert.match(last.text, /"version":"5"/);
  store[Symbol.dispose]();
  const again = open(t, file);
  assert.deepEqual(
    again.list(type).map((entry) => [entry.object.metadata.name, entry.isLeaving]),
    [
      ["b", false],
      ["c", false],
      ["d", false],
    ],
  );
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  again.put(type, configMap("b", { deletionTimestamp }), again.get(type, "default", "b"));
  await again.flushed();
  again[Symbol.dispose]();
  // As a file of before November 2026 was.
  {
    using database = new DatabaseSync(file);
    database.exec("DROP TABLE leaving");
  }
  for (const wasUpgraded of [false, true]) {
    using reopened = open(t, file);
    assert.equal(reopened.get(type, "default", "b")?.isLeaving, true, `upgraded before: ${wasUpgraded}`);
    assert.equal(reopened.get(type, "default", "c")?.isLeaving, false);
  }
  // An older Capstan, gone back to for a while, writes what is being deleted into its text alone.
  {
    using database = new DatabaseSync(file);
    const leaves = `'"metadata":{', '"metadata":{"deletionTimestamp":"${deletionTimestamp}",'`;
    database.exec(`UPDATE objects SET body = replace(body, ${leaves}) WHERE name = 'd'`);
    database.exec("UPDATE facts SET value = value + 1 WHERE name = 'revision'");
  }
  {
    using reopened = open(t, file);
    const leaving = reopened.get(type, "default", "d");
    assert.equal(leaving?.isLeaving, true);
    reopened.remove(leaving);
    await reopened.flushed();
  }
  {
    using reopened = open(t, file);
    const leaving = reopened.get(type, "default", "b");
    assert.ok(leaving);
    reopened.remove(leaving);
    await reopened.flushed();
  }
  using database = new DatabaseSync(file);
  assert.deepEqual(database.prepare("SELECT row FROM leaving").all(), []);
});

for (const [how, textsOf] of [
  ["listed together", Entry.texts],
  ["asked for one by one", (entries: readonly Entry[]) => entries.map(({ text }) => text)],
] as const)
  test(`what was ${how} is never told for another version, be it new, past or gone`, async (t) => {
    const file = newFile(t);
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const first = open(t, file);
    for (const name of names) first.put(type, configMap(name, { labels: { version: "1" } }), undefined);
    await first.flushed();
    first[Symbol.dispose]();
    // One change is news: of the one before it the file tells.
    const store = open(t, file, { events: 1, characters: 1_000_000 });
    const versions = (entries: readonly Entry[]) => {
      const texts = textsOf(entries).map((text) => JSON.parse(text).metadata.labels.version);
      const objects = Entry.objects(entries).map(({ metadata }) => metadata.labels?.version);
      assert.deepEqual(texts, objects);
      return texts;
    };
    const before = store.list(type);
    assert.deepEqual(
      versions(before),
      names.map(() => "1"),
    );
    store.put(type, configMap("b", { labels: { version: "2" } }), store.get(type, "default", "b"));
    const changed = store.list(type);
    assert.deepEqual(versions(changed), ["1", "2", "1", "1", "1", "1", "1"], "before it is in the file");
    store.put(type, configMap("g", { labels: { version: "1" } }), store.get(type, "default", "g"));
    await store.flushed();
    assert.deepEqual(versions(store.list(type)), ["1", "2", "1", "1", "1", "1", "1"]);
    assert.deepEqual(versions(changed), ["1", "2", "1", "1", "1", "1", "1"]);
    assert.deepEqual(
      versions(before),
      names.map(() => "1"),
      "past ones stay as they were",
    );
    const c = store.get(type, "default", "c");
    assert.ok(c);
    const gone = store.remove(c, {
      ...c.object,
      metadata: { ...c.object.metadata, labels: { version: "gone" } },
    });
    await store.flushed();
    assert.deepEqual(versions([gone, ...store.list(type)]), ["gone", "1", "2", "1", "1", "1", "1"]);
    assert.deepEqual(
      versions(before),
      names.map(() => "1"),
    );
  });
