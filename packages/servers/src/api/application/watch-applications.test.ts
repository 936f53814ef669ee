import assert from "node:assert/strict";
import { test } from "node:test";
import { applicationsWorld } from "./test-applications.ts";

type World = ReturnType<typeof applicationsWorld>;
type Query = Parameters<World["watch"]>[0];

/** Messages of a watch as `TYPE name`, taken one by one. */
async function watching(world: World, query: Query, user = "admin") {
  const end = new AbortController();
  const events = (await world.watch(query, { user, signal: end.signal }))[Symbol.asyncIterator]();
  const next = async () => {
    const { value } = await events.next();
    return value;
  };
  return {
    next,
    async take(count: number): Promise<string[]> {
      const told: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const { type, application } = await next();
        told.push(`${type} ${application.metadata.name}`);
      }
      return told;
    },
    async [Symbol.asyncDispose]() {
      end.abort(new Error("seen enough"));
      await assert.rejects(async () => {
        for (;;) await events.next().then(({ done }) => assert.ok(!done));
      }, /seen enough/);
    },
  };
}

const newest = async (world: World) => (await world.list({})).metadata.resourceVersion ?? "";

test("all there is, then each change", async () => {
  const world = applicationsWorld();
  world.put("a");
  world.put("b");
  await using stream = await watching(world, {});
  world.put("c");
  world.remove("a");
  assert.deepEqual(await stream.take(4), ["ADDED a", "ADDED b", "ADDED c", "DELETED a"]);
});

test("from a list's version on what has changed since, ends included", async () => {
  const world = applicationsWorld();
  for (const name of ["a", "b", "c"]) world.put(name);
  const resourceVersion = await newest(world);
  world.put("b", { health: "Degraded" });
  world.remove("c");
  world.put("d");
  await using stream = await watching(world, { resourceVersion });
  world.put("a");
  assert.deepEqual(await stream.take(4), ["DELETED c", "MODIFIED b", "MODIFIED d", "MODIFIED a"]);
});

test("from a version of before all that is remembered everything comes", async () => {
  const world = applicationsWorld();
  world.put("a");
  await newest(world);
  await using stream = await watching(world, { resourceVersion: "7" });
  world.put("b");
  assert.deepEqual(await stream.take(2), ["ADDED a", "ADDED b"]);
});

test("once ends were forgotten, a list from before them gets everything", async () => {
  const world = applicationsWorld();
  world.put("a");
  const resourceVersion = await newest(world);
  for (let index = 0; index < 1_100; index += 1) {
    world.put(`short-${index}`);
    world.remove(`short-${index}`);
  }
  const later = await newest(world);
  world.put("b");
  await using old = await watching(world, { resourceVersion });
  assert.deepEqual(await old.take(2), ["ADDED a", "ADDED b"]);
  await using fresh = await watching(world, { resourceVersion: later });
  // Of one that ended at the very version it cannot be known whether the list had it.
  assert.deepEqual(await fresh.take(2), ["DELETED short-1099", "MODIFIED b"]);
});

test("what no longer is what was asked for ends, as it was", async () => {
  const world = applicationsWorld();
  world.put("a", { health: "Degraded" });
  world.put("b", { health: "Degraded" });
  await using stream = await watching(world, { health: ["Degraded"] });
  world.put("c");
  world.put("a", { health: "Healthy" });
  world.put("b", { health: "Degraded", sync: "OutOfSync" });
  assert.deepEqual(await stream.take(4), ["ADDED a", "ADDED b", "DELETED a", "MODIFIED b"]);
  // As well when it changed before the stream began.
  const resourceVersion = await newest(world);
  world.put("b", { health: "Healthy" });
  await using later = await watching(world, { health: ["Degraded"], resourceVersion });
  assert.deepEqual(await later.take(1), ["DELETED b"]);
});

test("what a caller may no longer see ends as he last saw it, and nobody hears of what he never saw", async () => {
  const world = applicationsWorld();
  world.put("a", { project: "team" });
  world.put("hidden", { project: "other" });
  await using stream = await watching(world, {}, "eve");
  assert.deepEqual(await stream.take(1), ["ADDED a"]);
  world.put("hidden", { project: "other", health: "Degraded" });
  world.put("a", { project: "other", labels: { secret: "yes" } });
  const { type, application } = await stream.next();
  assert.deepEqual([type, application.spec.project, application.metadata.labels], ["DELETED", "team", {}]);
  world.remove("hidden");
  world.put("b", { project: "team" });
  assert.deepEqual(await stream.take(1), ["ADDED b"]);
});

test("a hundred who watch get one and the same message of a change", async () => {
  const world = applicationsWorld();
  world.put("a", { project: "team" });
  const resourceVersion = await newest(world);
  const seen = new Set<unknown>();
  const users = ["admin", "eve"];
  await using opened = new AsyncDisposableStack();
  const streams = await Promise.all(
    Array.from({ length: 100 }, (_, index) => watching(world, { resourceVersion }, users[index % 2])),
  );
  for (const stream of streams) opened.use(stream);
  world.put("a", { project: "team", health: "Degraded" });
  for (const stream of streams) seen.add(await stream.next());
  // And so of an end, to whom it is one.
  world.put("a", { project: "other" });
  const ends = new Set<unknown>();
  for (const [index, stream] of streams.entries()) if (index % 2) ends.add(await stream.next());
  assert.deepEqual([seen.size, ends.size], [1, 1]);
});

test("one application by its name comes again at its own version", async () => {
  const world = applicationsWorld();
  world.put("a");
  world.put("b");
  await using stream = await watching(world, { name: "b", resourceVersion: await newest(world) });
  assert.deepEqual(await stream.take(1), ["ADDED b"]);
});

test("one application that went after its version was read is told as deleted, and no other", async () => {
  const world = applicationsWorld();
  for (const name of ["a", "b"]) world.put(name);
  const resourceVersion = await newest(world);
  for (const name of ["a", "b"]) world.remove(name);
  await using stream = await watching(world, { name: "b", resourceVersion });
  world.put("b");
  assert.deepEqual(await stream.take(2), ["DELETED b", "ADDED b"]);
});
