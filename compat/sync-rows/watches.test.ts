/** What a watch, a list or the line to the API server loses is found again, and nothing but that is asked for anew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApplicationView, configMapText, eventually, refusal, untilApplication } from "@capstan/testkit";
import { configMapRef } from "@capstan/testkit/worlds";
import { definitionOf, limit, type Place, placeIn, shareWorld, sync } from "./place.ts";
import { forgotten, WeakLine } from "./weak-line.ts";

const line = new WeakLine("/api/v1/configmaps");
const world = shareWorld({ intercept: line.intercept });
const isSynced = ({ sync: status }: ApplicationView) => status === "Synced";

/** Deployed, of as many ConfigMaps as there are names. */
async function placed(name: string, names: readonly string[]): Promise<Place> {
  const text = names.map((one) => configMapText(one)).join("---\n");
  const there = await placeIn(world())(name, { "app/all.yaml": text });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  await untilApplication(world().kube, name, isSynced);
  return there;
}

const patch = (namespace: string, name: string, body: object) =>
  world().kube.patch(configMapRef(namespace, name), { type: "merge", body }, { signal: limit() });

/** One is changed, one goes, and one comes that names the application and that git does not have. */
async function disturb(namespace: string, [changed, gone]: readonly [string, string]): Promise<void> {
  await patch(namespace, changed, { data: { key: "drifted" } });
  await world().kube.delete(configMapRef(namespace, gone), { signal: limit() });
  const annotations = { "argocd.argoproj.io/tracking-id": `${namespace}:/ConfigMap:${namespace}/surplus` };
  const metadata = { name: "surplus", namespace, annotations };
  await world().kube.create({ apiVersion: "v1", kind: "ConfigMap", metadata }, { signal: limit() });
}

const namesOf = ({ resources }: ApplicationView): string =>
  resources
    .filter(({ status }) => status !== "Synced")
    .map(({ name }) => name)
    .sort()
    .join();

const untilFound = (name: string, changed: string, gone: string) =>
  untilApplication(world().kube, name, (view) => namesOf(view) === [changed, gone, "surplus"].sort().join());

test("a watch that breaks off goes on from its last event: what happened meanwhile is found, and nothing is listed anew", async () => {
  await using _ = await placed("broken", ["one", "two", "three"]);
  const [lists, watches] = [line.count("list"), line.count("watch")];
  line.cut();
  await disturb("broken", ["one", "two"]);
  line.mend();
  await untilFound("broken", "one", "two");
  assert.equal(line.count("list"), lists);
  assert.ok(line.count("watch") > watches);
});

test("where the server has forgotten the version the kind is listed anew: what changed, came and went is found", async () => {
  await using _ = await placed("forgotten", ["one", "two", "three"]);
  const lists = line.count("list");
  line.cut();
  await disturb("forgotten", ["one", "two"]);
  line.answer("watch", forgotten);
  line.mend();
  await untilFound("forgotten", "one", "two");
  assert.equal(line.unused, 0);
  assert.equal(line.count("list"), lists + 1);
});

test("a list that fails is tried until it is answered, whatever the failure", async () => {
  await using _ = await placed("refused", ["one", "two", "three"]);
  const lists = line.count("list");
  line.cut();
  await disturb("refused", ["one", "two"]);
  line.answer("watch", forgotten);
  line.answer(
    "list",
    refusal(500, "InternalError", "etcdserver: request timed out"),
    refusal(429, "TooManyRequests", "too many requests"),
    refusal(410, "Expired", "the provided continue parameter is too old"),
    refusal(403, "Forbidden", "configmaps is forbidden"),
    () => {
      throw new Error("connect ECONNREFUSED");
    },
    () => ({ status: 200, headers: {}, body: "<html>the proxy's page</html>" }),
  );
  line.mend();
  await untilFound("refused", "one", "two");
  assert.equal(line.unused, 0);
  assert.equal(line.count("list"), lists + 7);
});

const many = Array.from({ length: 260 }, (_, index) => `many-${String(index).padStart(3, "0")}`);
test("a kind of more objects than a page has is read whole, and from its beginning where a page has expired", async () => {
  await using _ = await placed("paged", many);
  const [lists, pages] = [line.count("list"), line.count("page")];
  line.cut();
  await disturb("paged", ["many-259", "many-130"]);
  line.answer("watch", forgotten);
  line.answer("page", refusal(410, "Expired", "the provided continue parameter is too old"));
  line.mend();
  const { resources } = await untilFound("paged", "many-259", "many-130");
  assert.equal(resources.length, many.length + 1);
  assert.equal(line.unused, 0);
  assert.equal(line.count("list"), lists + 2);
  assert.ok(line.count("page") >= pages + 2);
});

/** How many pieces of work the controller has done so far. */
async function looks(): Promise<number> {
  const metric = await world().metrics.getSingleMetric("workqueue_work_duration_seconds")?.get();
  const counts: { metricName?: string; value: number }[] = metric?.values ?? [];
  return counts
    .filter(({ metricName }) => metricName === "workqueue_work_duration_seconds_count")
    .reduce((sum, { value }) => sum + value, 0);
}

/** All of these values one after the other, which the watch brings together with the last one. */
async function burst(values: readonly string[]): Promise<void> {
  line.holdUntil(`"key":"${values.at(-1)}"`);
  for (const key of values) await patch("burst", "one", { data: { key } });
}

test("many changes of one object in one go end in what it is last, with few looks", async () => {
  await using _ = await placed("burst", ["one"]);
  await world().controller.idle();
  const before = await looks();
  const values = Array.from({ length: 60 }, (_none, index) => `value ${index}`);
  await burst([...values, "the last"]);
  await untilApplication(world().kube, "burst", ({ sync: status }) => status === "OutOfSync");
  await world().controller.idle();
  const key = { group: "", kind: "ConfigMap", namespace: "burst", name: "one" };
  assert.deepEqual(world().cluster.live.get(key)?.data, { key: "the last" });
  const done = (await looks()) - before;
  assert.ok(done > 0 && done < 20, `${done} looks at ${values.length} changes`);
  await burst([...values, "1"]);
  await untilApplication(world().kube, "burst", isSynced);
});

test("an object of a kind that is defined while Capstan runs is watched: a change by hand, and its end, are found at once", async () => {
  const definition = definitionOf({ group: "rows.example", kind: "Drum", plural: "drums" });
  const drum = { apiVersion: "rows.example/v1", kind: "Drum", metadata: { name: "one" }, spec: { size: 1 } };
  const isWatched = () =>
    world()
      .cluster.live.kinds()
      .some(({ kind }) => kind === "Drum");
  await world().kube.create(definition, { signal: limit() });
  await eventually(isWatched, { signal: limit(), describe: () => "the kind is not watched" });
  await using there = await placeIn(world())("drums", { "app/drum.yaml": JSON.stringify(drum) });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  await untilApplication(world().kube, "drums", isSynced);
  const ref = { apiVersion: drum.apiVersion, kind: "Drum", namespace: "drums", name: "one" };
  await world().kube.patch(ref, { type: "merge", body: { spec: { size: 2 } } }, { signal: limit() });
  await untilApplication(world().kube, "drums", ({ sync: status }) => status === "OutOfSync");
  await sync(there);
  await untilApplication(world().kube, "drums", isSynced);
  await world().kube.delete(ref, { signal: limit() });
  await untilApplication(world().kube, "drums", ({ health }) => health === "Missing");
  const { apiVersion, kind, metadata } = definition;
  await world().kube.delete({ apiVersion, kind, name: metadata.name }, { signal: limit() });
  await eventually(() => !isWatched(), {
    signal: limit(),
    describe: () => "the kind is still watched",
  });
});
