import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplyMode, Manifest } from "@capstan/model";
import { realClock } from "@capstan/testkit";
import { openSmallWorld, unboundedClient } from "@capstan/testkit/worlds";
import type { KubeRequest } from "../transport/transport.ts";
import { applyObject } from "./apply-object.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const config = (data: Record<string, string>, more: Record<string, unknown> = {}): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", namespace: "default" },
  data,
  ...more,
});
const mode: ApplyMode = {
  method: "server-side",
  force: false,
  validate: true,
  migrateFrom: "kubectl-client-side-apply",
};
const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "one" };

test("objects are created, changed and left alone, and the message says which", async () => {
  await using world = await openSmallWorld();
  const needs = { client: unboundedClient(world.kube), clock: realClock };
  const created = await applyObject(needs, { object: config({ a: "1" }), live: undefined, mode, signal });
  assert.equal(created.message, "configmap/one created");
  const changed = await applyObject(needs, {
    object: config({ b: "1" }),
    live: created.object,
    mode,
    signal,
  });
  assert.equal(changed.message, "configmap/one configured");
  assert.deepEqual(changed.object.data, { b: "1" });
  const same = await applyObject(needs, { object: config({ b: "1" }), live: changed.object, mode, signal });
  assert.equal(same.message, "configmap/one unchanged");
});

test("what kubectl apply wrote is taken over, so that a field that left git leaves the cluster", async () => {
  await using world = await openSmallWorld();
  const live = await world.kube.create(config({ old: "1", kept: "1" }), {
    signal,
    fieldManager: "kubectl-client-side-apply",
  });
  const applied = await applyObject(
    { client: unboundedClient(world.kube), clock: realClock },
    { object: config({ kept: "1" }), live, mode, signal },
  );
  assert.deepEqual(applied.object.data, { kept: "1" });
});

test("what cannot be changed in place is made anew when forced, and refused otherwise", async () => {
  // The embedded cluster has no field of its own that may not change.
  const refusal = {
    kind: "Status",
    code: 422,
    reason: "Invalid",
    message: "data: field is immutable when `immutable` is set",
  };
  const isRefused = ({ method, body = "" }: KubeRequest) =>
    method === "PATCH" && body.includes('"data":{"a":"2"}');
  await using world = await openSmallWorld({
    intercept: async (request) =>
      isRefused(request) ? { status: 422, headers: {}, body: JSON.stringify(refusal) } : undefined,
  });
  const needs = { client: unboundedClient(world.kube), clock: realClock };
  const { object: live } = await applyObject(needs, {
    object: config({ a: "1" }),
    live: undefined,
    mode,
    signal,
  });
  const object = config({ a: "2" });
  await assert.rejects(applyObject(needs, { object, live, mode, signal }), /immutable/);
  const forced = await applyObject(needs, { object, live, mode: { ...mode, force: true }, signal });
  assert.equal(forced.message, "configmap/one replaced");
  assert.notEqual(forced.object.metadata.uid, live.metadata.uid);
});

test("replace writes the whole object", async () => {
  await using world = await openSmallWorld();
  const live = await world.kube.create(config({ foreign: "1" }), { signal, fieldManager: "someone" });
  const needs = { client: unboundedClient(world.kube), clock: realClock };
  const applied = await applyObject(needs, {
    object: config({ a: "1" }),
    live,
    mode: { ...mode, method: "replace" },
    signal,
  });
  assert.deepEqual(applied.object.data, { a: "1" });
  const again = { object: config({ a: "1" }), live: applied.object, signal };
  const { message } = await applyObject(needs, { ...again, mode: { ...mode, method: "replace" } });
  assert.equal(message, "configmap/one replaced");
});

test("a dry run changes nothing, and unknown fields are refused unless validation is off", async () => {
  await using world = await openSmallWorld();
  const needs = { client: unboundedClient(world.kube), clock: realClock };
  await applyObject(needs, { object: config({ a: "1" }), live: undefined, mode, dryRun: true, signal });
  assert.equal(await world.kube.get(ref, signal), undefined);
  const wrong = config({ a: "1" }, { dataa: { b: "2" } });
  await assert.rejects(applyObject(needs, { object: wrong, live: undefined, mode, signal }), /dataa/);
  await applyObject(needs, { object: wrong, live: undefined, mode: { ...mode, validate: false }, signal });
});
