import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf, type Manifest } from "@capstan/model";
import { ObjectIndex } from "./object-index.ts";

const instanceOf = (object: Manifest) => object.metadata.labels?.app;

function object(kind: string, name: string, more: Partial<Manifest["metadata"]> = {}): Manifest {
  const apiVersion = kind === "StatefulSet" ? "apps/v1" : "v1";
  return { apiVersion, kind, metadata: { name, namespace: "web", uid: `uid-${kind}-${name}`, ...more } };
}

const owner = (kind: string, name: string) => ({ apiVersion: "v1", kind, name, uid: `uid-${kind}-${name}` });
const names = (objects: readonly Manifest[]) => objects.map(({ metadata }) => metadata.name).sort();

test("objects are found by application, by owner and by kind", () => {
  const index = new ObjectIndex(instanceOf);
  const root = object("Service", "root", { labels: { app: "a" } });
  const child = object("Pod", "child", { ownerReferences: [owner("Service", "root")] });
  const grandchild = object("Secret", "grandchild", { ownerReferences: [owner("Pod", "child")] });
  const copied = object("Pod", "copied", {
    labels: { app: "a" },
    ownerReferences: [owner("Service", "root")],
  });
  for (const one of [grandchild, child, copied, root]) index.set(one);
  assert.deepEqual(names(index.managedBy("a")), ["root"]);
  assert.deepEqual(names(index.children("uid-Service-root")), ["child", "copied"]);
  assert.deepEqual(names(index.ofKind("", "Pod")), ["child", "copied"]);
  assert.deepEqual(index.appsOf(grandchild), ["a"]);
});

test("what changes hands is found where it is now", () => {
  const index = new ObjectIndex(instanceOf);
  index.set(object("Service", "root", { labels: { app: "a" } }));
  const moved = object("Service", "root", { labels: { app: "b" } });
  assert.equal(index.set(moved)?.metadata.labels?.app, "a");
  assert.deepEqual(names(index.managedBy("a")), []);
  assert.deepEqual(names(index.managedBy("b")), ["root"]);
  index.reindex(() => "c");
  assert.deepEqual(names(index.managedBy("c")), ["root"]);
  index.delete(keyOf(moved));
  assert.deepEqual([index.size, index.managedBy("c")], [0, []]);
});

test("owners that no reference names, in whatever order they come", () => {
  const set = {
    ...object("StatefulSet", "db", { labels: { app: "a" } }),
    spec: { volumeClaimTemplates: [{ metadata: { name: "data" } }] },
  };
  const claim = object("PersistentVolumeClaim", "data-db-11");
  const stranger = object("PersistentVolumeClaim", "data-other-0");
  const service = object("Service", "front", { labels: { app: "a" } });
  const endpoints = object("Endpoints", "front");
  const olm = { apiVersion: "operators.coreos.com/v1" };
  const group = { ...object("OperatorGroup", "all", { labels: { app: "a" } }), ...olm };
  const annotations = { "olm.operatorGroup": "all" };
  const installed = { ...object("ClusterServiceVersion", "web.v1", { annotations }), ...olm };
  const all = [set, claim, stranger, service, endpoints, group, installed];
  for (const order of [all, [...all].reverse()]) {
    const index = new ObjectIndex(instanceOf);
    for (const one of order) index.set(one);
    assert.deepEqual(names(index.children("uid-StatefulSet-db")), ["data-db-11"]);
    assert.deepEqual(names(index.children("uid-Service-front")), ["front"]);
    assert.deepEqual(names(index.children("uid-OperatorGroup-all")), ["web.v1"]);
    assert.deepEqual(index.appsOf(claim), ["a"]);
    assert.deepEqual(index.appsOf(stranger), []);
  }
});

test("owners in a circle do not hang", () => {
  const index = new ObjectIndex(instanceOf);
  index.set(object("Pod", "a", { ownerReferences: [owner("Pod", "b")] }));
  index.set(object("Pod", "b", { ownerReferences: [owner("Pod", "a")] }));
  assert.deepEqual(index.appsOf(object("Pod", "a")), []);
});

test("what nobody has in a namespace, asked for early or late", () => {
  const objects = [
    object("ConfigMap", "had", { labels: { app: "a" } }),
    object("ConfigMap", "left", { labels: { app: "gone" } }),
    object("ConfigMap", "free"),
    object("ConfigMap", "elsewhere", { namespace: "other" }),
    object("Pod", "owned", { ownerReferences: [owner("ConfigMap", "free")] }),
    object("Service", "front"),
    object("Endpoints", "front"),
    object("Namespace", "web", { namespace: "" }),
  ];
  const isApplication = (instance: string) => instance === "a";
  for (const isEarly of [true, false]) {
    const index = new ObjectIndex(instanceOf);
    const free = () => names(index.unownedIn("web", isApplication));
    if (isEarly) assert.deepEqual(free(), []);
    for (const one of objects) index.set(one);
    assert.deepEqual(free(), ["free", "front", "left"]);
    index.set(object("ConfigMap", "free", { labels: { app: "a" } }));
    index.set(object("ConfigMap", "had"));
    assert.deepEqual(free(), ["front", "had", "left"], "it changed hands");
    for (const one of ["had", "left"]) index.delete(keyOf(object("ConfigMap", one)));
    assert.deepEqual(free(), ["front"]);
    index.reindex(() => "a");
    assert.deepEqual(free(), [], "the tracking method changed");
    assert.deepEqual(names(index.unownedIn("other", () => false)), ["elsewhere"]);
    assert.deepEqual(index.unownedIn("none", isApplication), []);
  }
});
