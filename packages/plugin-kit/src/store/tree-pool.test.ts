import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TreeObject } from "./tree-object.ts";
import { type Lease, TreePool } from "./tree-pool.ts";

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const never = new AbortController().signal;

/** Filling a directory takes longer than a run in it. */
const turnsToGet = 10;

/** A tree of one file, whose objects come when the test lets them. */
async function openPool() {
  const dir = await mkdtemp(join(tmpdir(), "capstan-pool-"));
  const objects = new Map<string, TreeObject>([
    ["tree", [{ name: "file", mode: 0o100644, id: "file" }]],
    ["file", Buffer.from("content")],
  ]);
  let isOpen = true;
  let opening = Promise.withResolvers<void>();
  const over = new Set<() => void>();
  const clock = {
    now: () => 0,
    sleep: (ms: number, signal: AbortSignal) =>
      ms === 0
        ? inTurns(2 * turnsToGet)
        : new Promise<void>((resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("ended")), { once: true });
            over.add(resolve);
          }),
  };
  const pool = new TreePool({ base: dir, maxIdle: 16, log, clock });
  let asked = 0;
  const get = async (id: string) => {
    asked += 1;
    await inTurns(turnsToGet);
    if (!isOpen) await opening.promise;
    return objects.get(id) ?? Buffer.alloc(0);
  };
  const limits = { get, preserveFileMode: false, maxFiles: 100, maxBytes: 1_000 };
  return {
    lease: (key = "one", signal = never) =>
      pool.lease({ id: "tree", format: "sha1", paths: [] }, { key }, { ...limits, signal }),
    hold: () => {
      isOpen = false;
      opening = Promise.withResolvers();
    },
    release: () => {
      isOpen = true;
      opening.resolve();
    },
    /** As if those who wait had waited long enough. */
    waitOver: () => {
      for (const end of over) end();
    },
    /** Objects that were asked for so far. */
    asked: () => asked,
    directories: async () => (await readdir(dir)).length,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

const inTurns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

test("runs that ask at once get the directory of those before them; what these wrote is gone", async () => {
  await using pool = await openPool();
  const run = async (at: number) => {
    const lease = await pool.lease();
    const { root } = lease.tree;
    assert.deepEqual(readdirSync(root), ["file"]);
    assert.equal(readFileSync(join(root, "file"), "utf8"), "content");
    writeFileSync(join(root, "file"), `by ${at}`);
    writeFileSync(join(root, `stranger-${at}`), "");
    await nextTurn();
    lease.giveBack(0);
  };
  await Promise.all(Array.from({ length: 20 }, (_, at) => run(at)));
  assert.ok((await pool.directories()) < 10, `${await pool.directories()} directories for 20 runs`);
});

test("a directory that is as it was found is used again without a walk through its tree", async () => {
  await using pool = await openPool();
  const run = async (write: (root: string) => void) => {
    const before = pool.asked();
    const lease = await pool.lease();
    const { root } = lease.tree;
    assert.equal(readFileSync(join(root, "file"), "utf8"), "content");
    write(root);
    // Later than a tick after the file was written.
    lease.giveBack(Date.now() + 1_000);
    return pool.asked() - before;
  };
  const silently = () => undefined;
  assert.equal(await run(silently), 2);
  assert.equal(await run((root) => writeFileSync(join(root, "file"), "changed")), 0);
  assert.equal(await run(silently), 2);
  assert.equal(await run((root) => writeFileSync(join(root, "stranger"), "")), 0);
  assert.equal(await run(silently), 1);
});

test("runs that last do not wait for each other, and other repositories wait for none", async () => {
  await using pool = await openPool();
  const leases: Lease[] = await Promise.all([pool.lease(), pool.lease(), pool.lease("other")]);
  assert.equal(new Set(leases.map(({ tree }) => tree.root)).size, 3);
  for (const lease of leases) lease.giveBack(0);
});

test("one whose objects do not come holds others up for a while only, and not where they are aborted", async () => {
  await using pool = await openPool();
  pool.hold();
  const stuck = pool.lease();
  await inTurns(3 * turnsToGet);
  const stopping = new AbortController();
  const aborted = pool.lease("one", stopping.signal);
  const waiting = pool.lease();
  await inTurns(3 * turnsToGet);
  assert.equal(await pool.directories(), 1);
  stopping.abort(new Error("the caller has gone"));
  await assert.rejects(aborted, /the caller has gone/);
  pool.waitOver();
  await inTurns(3 * turnsToGet);
  assert.equal(await pool.directories(), 2);
  pool.release();
  for (const lease of await Promise.all([stuck, waiting])) lease.giveBack(0);
});
