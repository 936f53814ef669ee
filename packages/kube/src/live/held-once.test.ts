import assert from "node:assert/strict";
import { test } from "node:test";
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
