import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { NewChange, NewRecord } from "@capstan/planning";
import { OperationStore } from "./operation-store.ts";

const app = { namespace: "argocd", name: "web", uid: "1" };

function change(name: string, value: string): NewChange {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
  return {
    group: "",
    version: "v1",
    kind: "ConfigMap",
    namespace: "web",
    name,
    act: "change",
    message: "",
    after: object,
  };
}

function record(
  second: number,
  changes: readonly NewChange[] = [],
  more: Partial<NewRecord> = {},
): NewRecord {
  const at = `2026-11-23T10:00:${String(second).padStart(2, "0")}Z`;
  return {
    startedAt: at,
    finishedAt: at,
    phase: "Succeeded",
    message: "",
    attempt: 0,
    dryRun: false,
    initiatedBy: { username: "ada" },
    revisions: ["a"],
    sources: [],
    images: { before: [], after: [] },
    changes,
    sensitive: false,
    textsHidden: false,
    ...more,
  };
}

const key = (name: string) => ({ group: "", kind: "ConfigMap", namespace: "web", name });

test("what is kept is there after a restart, each object once, and only for the very application", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-operations-"));
  const path = join(folder, "operations.db");
  {
    using store = new OperationStore(path);
    assert.equal(store.lastWasSensitive(app), undefined);
    store.add(app, record(1, [change("one", "same")]));
    store.add(app, record(2, [change("one", "same"), change("two", "other")], { sensitive: true }));
  }
  {
    using store = new OperationStore(path);
    const [second, first] = store.list(app);
    assert.equal(second?.changes[0]?.after, first?.changes[0]?.after);
    assert.equal(store.lastWasSensitive(app), true);
    const read = (of: typeof app, name: string) => store.read(of, second?.id ?? "", key(name))?.after;
    assert.match(read(app, "two") ?? "", /"value":"other"/);
    assert.equal(read(app, "three"), undefined);
    assert.equal(read({ ...app, uid: "2" }, "two"), undefined);
    assert.equal(read({ ...app, name: "other" }, "two"), undefined);
    assert.deepEqual(store.list({ ...app, uid: "2" }), []);
  }
  await rm(folder, { recursive: true });
});

test("a file in which uses were a table of their own is read as it was, and what nothing uses goes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-operations-"));
  const path = join(folder, "operations.db");
  const short = (name: string) => ({ ...change(name, name), after: undefined });
  {
    using former = new DatabaseSync(path);
    former.exec(`
      CREATE TABLE objects (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
      CREATE TABLE records (
        id INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, started TEXT NOT NULL, attempt INTEGER NOT NULL,
        sensitive INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (app, started, attempt));
      CREATE TABLE uses (record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE, digest TEXT NOT NULL,
        PRIMARY KEY (record, digest)) WITHOUT ROWID;
      CREATE INDEX uses_by_digest ON uses (digest);
      INSERT INTO objects VALUES ('both', 'text of both'), ('first', 'text of first');`);
    const add = former.prepare(
      "INSERT INTO records (app, started, attempt, sensitive, body) VALUES (?, ?, 0, 0, ?)",
    );
    const use = former.prepare("INSERT INTO uses VALUES (?, ?)");
    for (const [id, names] of [
      [1, ["both", "first"]],
      [2, ["both"]],
    ] as const) {
      const changes = names.map((name) => ({ ...short(name), after: name }));
      add.run("argocd/web 1", `${id}`, JSON.stringify({ ...record(id), changes, leftOut: 0 }));
      for (const name of names) use.run(id, name);
    }
  }
  using store = new OperationStore(path, { records: 2 });
  assert.equal(store.read(app, "1", key("first"))?.after, "text of first");
  store.add(app, record(3));
  assert.equal(store.read(app, "2", key("both"))?.after, "text of both");
  assert.equal(store.list(app).length, 2);
  const left = () => {
    using database = new DatabaseSync(path);
    return database
      .prepare("SELECT digest, uses FROM objects")
      .all()
      .map(({ digest, uses }) => [digest, uses]);
  };
  assert.deepEqual(left(), [["both", 1]]);
  store.add(app, record(4));
  assert.deepEqual(left(), []);
  await rm(folder, { recursive: true });
});

test("two that began in the same second are two; the same again takes the place of the former", () => {
  using store = new OperationStore(":memory:");
  store.add(app, record(1, [change("one", "a")]));
  store.add(app, record(1, [change("one", "b")], { revisions: ["b"] }));
  store.add(app, record(1, [change("one", "c")], { revisions: ["b"], phase: "Failed" }));
  const kept = store.list(app).map(({ revisions, phase }) => [...revisions, phase]);
  assert.deepEqual(kept, [
    ["b", "Failed"],
    ["a", "Succeeded"],
  ]);
});

test("the same operation again, as after a restart, takes the place of the first telling; a retry is another", () => {
  using store = new OperationStore(":memory:");
  store.add(app, record(1, [], { message: "first" }));
  store.add(app, record(1, [], { message: "again" }));
  store.add(app, record(1, [], { attempt: 1, message: "retry" }));
  assert.deepEqual(
    store.list(app).map(({ message }) => message),
    ["retry", "again"],
  );
});

test("the oldest goes: of an application, of all where there is no room; what nobody names any more goes too", () => {
  using store = new OperationStore(":memory:", { records: 3, changes: 1, objectBytes: 500, allBytes: 2_000 });
  for (let second = 0; second < 5; second++)
    store.add(app, record(second, [change("one", String(second)), change("two", "")]));
  const kept = store.list(app);
  assert.deepEqual(
    kept.map(({ startedAt }) => startedAt.slice(17, 19)),
    ["04", "03", "02"],
  );
  assert.deepEqual([kept[0]?.changes.length, kept[0]?.leftOut], [1, 1]);
  const large = { ...app, name: "large" };
  store.add(large, record(1, [change("one", "x".repeat(600))]));
  assert.equal(store.list(large)[0]?.changes[0]?.after, undefined, "too large to be kept");
  const random = () =>
    Array.from({ length: 330 }, () => String.fromCharCode(33 + Math.random() * 90)).join("");
  for (let second = 10; second < 40; second++)
    store.add({ ...app, name: `app-${second}` }, record(second, [change("one", random())]));
  assert.deepEqual(store.list(app), []);
  assert.equal(store.list({ ...app, name: "app-39" }).length, 1);
});
