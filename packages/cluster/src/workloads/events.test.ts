import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../types.ts";
import { EventRecorder } from "./event-recorder.ts";
import type { Pod } from "./kinds.ts";
import { resourceTypes } from "./resource-types.ts";
import { ManualClock, MemoryObjects, startWorld } from "./test-world.ts";

const about: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", uid: "1", resourceVersion: "7" },
};

function recorder() {
  const clock = new ManualClock();
  const objects = new MemoryObjects(clock);
  const stop = new AbortController();
  return { clock, objects, events: new EventRecorder({ objects, clock, signal: stop.signal }) };
}

const facts = {
  type: "Normal",
  reason: "Started",
  message: "Container started",
  component: "kubelet",
} as const;

test("the same again raises a count", async () => {
  const { objects, events } = recorder();
  events.record(about, facts);
  await events.drained();
  for (let at = 0; at < 4; at++) events.record(about, facts);
  await events.drained();
  const [event, ...others] = objects.list(resourceTypes.events);
  assert.deepEqual(others, []);
  assert.equal(event?.count, 5);
  assert.match(event?.metadata.name ?? "", /^web\.[0-9a-f]{16}$/);
  assert.deepEqual(event?.involvedObject, {
    kind: "Pod",
    namespace: "shop",
    name: "web",
    uid: "1",
    apiVersion: "v1",
    resourceVersion: "7",
  });
});

test("one object cannot flood", async () => {
  const { objects, clock, events } = recorder();
  for (let at = 0; at < 1_000; at++) events.record(about, { ...facts, message: `number ${at}` });
  await events.drained();
  assert.equal(objects.list(resourceTypes.events).length, 25);
  clock.moveTowards(clock.now() + 300_000);
  events.record(about, { ...facts, message: "later" });
  await events.drained();
  assert.equal(objects.list(resourceTypes.events).length, 26);
});

test("events go an hour after they were last seen", async () => {
  using world = await startWorld();
  await world.objects.create<Pod>(resourceTypes.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop" },
    spec: { containers: [{ name: "web", image: "web" }] },
  });
  await world.pass(1_000);
  assert.equal(world.objects.list(resourceTypes.events).length, 4);
  await world.pass(3_590_000);
  assert.equal(world.objects.list(resourceTypes.events).length, 4);
  await world.pass(60_000);
  await world.pass(60_000);
  assert.equal(world.objects.list(resourceTypes.events).length, 0);
});
