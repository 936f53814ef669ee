import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import { holdOnce } from "./held-once.ts";
import { ObjectIndex } from "./object-index.ts";

const clientOf = () => ({}) as KubeClient;
const web = (resourceVersion: string, uid = "u", apiVersion = "v1") => ({
  apiVersion,
  kind: "ConfigMap",
  metadata: { name: "web", namespace: "team", uid, resourceVersion },
});

test("states of one client hold one object of each version", () => {
  const client = clientOf();
  const [first, second] = [new ObjectIndex(() => undefined), new ObjectIndex(() => undefined)];
  const [one, two] = [holdOnce(client, first), holdOnce(client, second)];
  const object = web("7");
  first.set(one.held(object));
  assert.equal(two.held(web("7")), object);
  assert.equal(one.held(object), object);
  for (const other of [web("8"), web("7", "v"), web("7", "u", "v2"), web("", "u")])
    assert.equal(two.held(other), other);
  one.leave();
  const late = web("7");
  assert.equal(two.held(late), late);
});

test("states of different clients do not know of each other", () => {
  const index = new ObjectIndex(() => undefined);
  index.set(holdOnce(clientOf(), index).held(web("7")));
  const elsewhere = holdOnce(clientOf(), new ObjectIndex(() => undefined));
  const object = web("7");
  assert.equal(elsewhere.held(object), object);
});

test("what an object has alike with the last of its kind is kept once, as long as that one is there", () => {
  const index = new ObjectIndex(() => undefined);
  const { held } = holdOnce(clientOf(), index);
  const named = (name: string, data: object, kind = "ConfigMap") => ({
    ...{ apiVersion: "v1", kind, metadata: { name, namespace: "team", uid: name, labels: { app: "web" } } },
    data,
  });
  const take = (object: ReturnType<typeof named>) => {
    const said = JSON.stringify(object);
    const kept = held(object);
    index.set(kept);
    assert.equal(JSON.stringify(kept), said);
    return kept;
  };
  const first = take(named("first", { a: { b: ["c"] } }));
  const second = take(named("second", { a: { b: ["c"] } }));
  assert.equal(second.metadata.labels, first.metadata.labels);
  assert.equal(second.data, first.data);
  const third = take(named("third", { a: { b: ["c"] }, more: "d" }));
  assert.notEqual(third.data, first.data);
  assert.deepEqual(third.data, { a: { b: ["c"] }, more: "d" });
  assert.notEqual(take(named("other", { a: { b: ["c"] } }, "Secret")).data, first.data);
  index.delete(keyOf(third));
  assert.notEqual(take(named("fourth", { a: { b: ["c"] }, more: "d" })).data, third.data);
});
