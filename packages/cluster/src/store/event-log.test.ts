import assert from "node:assert/strict";
import { test } from "node:test";
import { Entry, type StoredTexts } from "./entry.ts";
import { EventLog } from "./event-log.ts";

const type = "/configmaps";
const size = 100;
const inFile: StoredTexts = { one: () => "", many: () => () => "", listed: () => () => "" };

function version(revision: number, name = "a"): Entry {
  const facts = { row: revision, type, namespace: "default", name, uid: name, revision, owners: [] };
  return new Entry({ ...facts, text: `"${"x".repeat(size - 2)}"` });
}

/** What the texts take that events hold, each once. */
function heldBy(log: EventLog, last: number): number {
  for (let revision = 0; revision <= last; revision += 1) {
    const events = log.since(type, revision);
    if (events === undefined) continue;
    const held = new Set(events.flatMap(({ entry, previous }) => (previous ? [entry, previous] : [entry])));
    return [...held].reduce((sum, { text }) => sum + text.length, 0);
  }
  return 0;
}

function logOf(characters: number, startRevision = 0): EventLog {
  return new EventLog(startRevision, { events: 1_000, characters }, ({ kind, entry }) => {
    if (kind !== "DELETED") entry.leaveToFile(inFile);
  });
}

test("the limit counts what objects were before as well, each version once", () => {
  const log = logOf(10 * size);
  let previous: Entry | undefined;
  for (let revision = 1; revision <= 100; revision += 1) {
    const entry = version(revision);
    previous?.keepText();
    log.push({ kind: previous ? "MODIFIED" : "ADDED", entry, previous });
    previous = entry;
  }
  assert.equal(heldBy(log, 100), 10 * size);
  assert.equal(log.since(type, 91)?.length, 9);
});

test("versions that came from the file are counted, and given back with their events", () => {
  const log = logOf(10 * size, 100);
  for (let revision = 101; revision <= 150; revision += 1) {
    const previous = version(revision - 100, `a${revision}`);
    previous.keepText();
    log.push({ kind: "MODIFIED", entry: version(revision, `a${revision}`), previous });
  }
  assert.equal(heldBy(log, 150), 10 * size);
  assert.equal(log.since(type, 145)?.length, 5);
  for (let revision = 151; revision <= 200; revision += 1)
    log.push({ kind: "ADDED", entry: version(revision, `b${revision}`), previous: undefined });
  assert.equal(log.since(type, 190)?.length, 10);
  assert.equal(log.since(type, 189), undefined);
});

test("a version whose replacement did not come into the file is counted once, as before", () => {
  const log = logOf(10 * size);
  const entry = version(1);
  log.push({ kind: "ADDED", entry, previous: undefined });
  for (let time = 0; time < 50; time += 1) {
    entry.keepText();
    entry.takeBack();
  }
  for (let revision = 2; revision <= 40; revision += 1)
    log.push({ kind: "ADDED", entry: version(revision, `b${revision}`), previous: undefined });
  entry.keepText();
  log.push({ kind: "MODIFIED", entry: version(41), previous: entry });
  assert.equal(log.since(type, 33)?.length, 8);
  for (let revision = 42; revision <= 80; revision += 1)
    log.push({ kind: "ADDED", entry: version(revision, `c${revision}`), previous: undefined });
  assert.equal(log.since(type, 70)?.length, 10);
});
