import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { listAt, recordAt } from "../read-json.ts";
import { SharedParts } from "./shared-parts.ts";

const source = { repoURL: "https://git.example.com/shop.git", path: "web" };
const fieldsV1 = { "f:spec": { "f:source": { "f:path": {} } } };

/** As if it were parsed from the wire: nothing in it is in anything else. */
function application(name: string): Manifest {
  const resources = ["a", "b"].map((end) => ({
    ...{ version: "v1", kind: "ServiceAccount", namespace: "shop", name: `${name}-${end}` },
    ...{ status: "Synced", health: { status: "Healthy" } },
  }));
  const object = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, managedFields: [{ manager: "argocd", operation: "Update", fieldsV1 }] },
    spec: { project: "default", source },
    status: { resources, sync: { comparedTo: { source } }, history: [{ id: 1, source }] },
  };
  return structuredClone(object);
}

const fieldsOf = ({ metadata }: Manifest) => metadata.managedFields?.[0]?.fieldsV1;
const healthOf = (app: Manifest) =>
  listAt(recordAt(app, "status"), "resources").map((one) => (isRecord(one) ? one.health : undefined));

test("what objects have alike is kept once, and they say what they said", () => {
  const parts = new SharedParts();
  const [one, two] = [application("one"), application("two")];
  assert.notEqual(fieldsOf(one), fieldsOf(two));
  for (const object of [one, two]) parts.share(object);
  assert.deepEqual([one, two], [application("one"), application("two")]);
  assert.equal(fieldsOf(one), fieldsOf(two));
  assert.equal(new Set([...healthOf(one), ...healthOf(two)]).size, 1);
  assert.equal(recordAt(two, "spec").source, recordAt(one, "spec").source);
  assert.equal(
    recordAt(recordAt(recordAt(one, "status"), "sync"), "comparedTo").source,
    recordAt(one, "spec").source,
  );
});

test("of fields under a name of the object's own, what is below them is kept once", () => {
  const parts = new SharedParts();
  const fields = (name: string) => ({
    "f:containers": { [`k:{"name":"${name}"}`]: { ".": {}, "f:image": {} }, "f:other": { "f:a": {} } },
  });
  const [one, two] = ["one", "two"].map((name): Manifest => {
    const managedFields = [{ manager: "argocd", operation: "Apply", fieldsV1: fields(name) }];
    return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name, managedFields } };
  });
  assert.ok(one && two);
  for (const object of [one, two]) parts.share(object);
  assert.deepEqual([fieldsOf(one), fieldsOf(two)], [fields("one"), fields("two")]);
  const below = (object: Manifest) => Object.values(recordAt(fieldsOf(object) ?? {}, "f:containers"));
  assert.equal(new Set([...below(one), ...below(two)]).size, 2);
});

test("fields that are deeper than any object's are left, and say what they said", () => {
  const deep = (levels: number): object =>
    levels === 0 ? {} : { [`f:${levels}`]: deep(levels - 1), "f:a": {} };
  const managedFields = [{ manager: "x", operation: "Apply", fieldsV1: { "f:spec": deep(200) } }];
  const object: Manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "deep", managedFields } };
  const before = structuredClone(object);
  new SharedParts().share(object);
  assert.deepEqual(object, before);
});

test("what differs in order or value stays apart", () => {
  const parts = new SharedParts();
  const [one, two] = [application("one"), application("two")];
  two.spec = { project: "default", source: { path: source.path, repoURL: source.repoURL } };
  for (const object of [one, two]) parts.share(object);
  assert.deepEqual(Object.keys(recordAt(recordAt(two, "spec"), "source")), ["path", "repoURL"]);
  assert.notEqual(recordAt(two, "spec").source, recordAt(one, "spec").source);
});

test("objects that are not as they should be are left as they are", () => {
  const parts = new SharedParts();
  for (const status of [null, [], "x", { resources: "x", history: [null, 1], operationState: [] }]) {
    const spec = { destination: { port: 2n ** 60n } };
    const object = { ...application("odd"), spec, status };
    parts.share(object);
    assert.deepEqual(object, { ...application("odd"), spec, status });
  }
});
