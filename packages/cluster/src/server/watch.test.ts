import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster, temporaryFolder } from "./test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const labelled = `${maps}?watch=1&labelSelector=test`;

function map(name: string, labels: Record<string, string> = { test: "yes" }): unknown {
  return { metadata: { name, labels } };
}

test("a watch without resourceVersion begins with what is there", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, map("a"));
  for (const query of ["", "&resourceVersion=0"]) {
    const watch = await cluster.watch(labelled + query);
    await cluster.create(maps, map(`new${query.length}`));
    const seen = await watch.take(query === "" ? 2 : 3);
    assert.deepEqual([seen[0], seen.at(-1)], ["ADDED a", `ADDED new${query.length}`]);
    await watch.end();
  }
});

test("a watch goes on from a revision and misses nothing", async (t) => {
  const cluster = await TestCluster.start(t);
  const { body } = await cluster.create(maps, map("a"));
  await cluster.patch(`${maps}/a`, "merge", { data: { x: "1" } });
  await cluster.ask("DELETE", `${maps}/a`);
  const watch = await cluster.watch(`${labelled}&resourceVersion=${at(body, "metadata", "resourceVersion")}`);
  const modified = await watch.next();
  assert.equal(modified?.type, "MODIFIED");
  assert.equal(at(modified?.object, "data", "x"), "1");
  const deleted = await watch.next();
  assert.equal(deleted?.type, "DELETED");
  assert.ok(
    Number(at(deleted?.object, "metadata", "resourceVersion")) >
      Number(at(modified?.object, "metadata", "resourceVersion")),
  );
  await watch.end();
});

test("a selector turns changes of labels into comings and goings", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, map("a", {}));
  const watch = await cluster.watch(labelled);
  await cluster.patch(`${maps}/a`, "merge", { metadata: { labels: { test: "yes" } } });
  await cluster.patch(`${maps}/a`, "merge", { data: { x: "1" } });
  await cluster.patch(`${maps}/a`, "merge", { metadata: { labels: { test: null } } });
  await cluster.ask("DELETE", `${maps}/a`);
  await cluster.create(maps, map("end"));
  assert.deepEqual(await watch.take(4), ["ADDED a", "MODIFIED a", "DELETED a", "ADDED end"]);
  await watch.end();
});

test("what is too old to resume from is told as an ERROR event with 410", async (t) => {
  const dataDir = temporaryFolder(t);
  const first = await TestCluster.start(t, dataDir);
  await first.create(maps, map("a"));
  await first.cluster.close();
  const second = await TestCluster.start(t, dataDir);
  const watch = await second.watch(`${labelled}&resourceVersion=1`);
  const event = await watch.next();
  assert.equal(event?.type, "ERROR");
  assert.equal(event?.object.code, 410);
  assert.equal(event?.object.reason, "Expired");
  assert.match(String(event?.object.message), /^too old resource version: 1 \(\d+\)$/);
  assert.equal(await watch.next(), undefined);
});

test("sendInitialEvents ends the beginning with a marked bookmark", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, map("a"));
  const query = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = await cluster.watch(labelled + query);
  assert.deepEqual(await watch.take(1), ["ADDED a"]);
  const bookmark = await watch.next();
  assert.equal(bookmark?.type, "BOOKMARK");
  assert.equal(bookmark?.object.kind, "ConfigMap");
  assert.equal(at(bookmark?.object, "metadata", "annotations", "k8s.io/initial-events-end"), "true");
  await watch.end();
  const refused = await cluster.get(`${labelled}&sendInitialEvents=true`);
  assert.equal(refused.status, 422);
  assert.match(
    String(refused.body.message),
    /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan$/,
  );
});

test("a watch ends when its time is over", async (t) => {
  const cluster = await TestCluster.start(t);
  const watch = await cluster.watch(`${labelled}&timeoutSeconds=1`);
  assert.equal(await watch.next(), undefined);
});

test("a watch can be of metadata only", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a", labels: { test: "yes" } }, data: { secret: "x" } });
  const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const watch = await cluster.watch(labelled, { accept });
  const event = await watch.next();
  assert.equal(event?.object.kind, "PartialObjectMetadata");
  assert.equal(event?.object.apiVersion, "meta.k8s.io/v1");
  assert.equal("data" in (event?.object ?? {}), false);
  await watch.end();
});

test("one name can be watched, in the new form and in the old", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, map("a"));
  await cluster.create(maps, map("b"));
  for (const url of [
    `${maps}?watch=true&fieldSelector=metadata.name%3Db`,
    "/api/v1/watch/namespaces/default/configmaps/b",
  ]) {
    const watch = await cluster.watch(url);
    assert.deepEqual(await watch.take(1), ["ADDED b"]);
    await watch.end();
  }
});
