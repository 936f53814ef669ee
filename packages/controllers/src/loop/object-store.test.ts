import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeClient } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import { ObjectStore } from "./object-store.ts";

const object = (resourceVersion: string, replicas: number): Manifest => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", namespace: "b", uid: "1", resourceVersion },
  spec: { replicas },
});

test("a spec that says the same stays the same value; one that says something else is another", async () => {
  const forever = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const client: Pick<KubeClient, "list" | "watch"> = {
    list: async () => ({ items: [object("1", 1)], resourceVersion: "1" }),
    async *watch(_, signal) {
      yield forever(signal);
    },
  };
  await using store = new ObjectStore({
    client: client as KubeClient,
    query: { apiVersion: "v1", kind: "Thing" },
    is: (one: Manifest): one is Manifest => one.kind === "Thing",
    clock: { now: () => 0, sleep: (_, signal) => forever(signal) },
    log: { info: () => undefined, warn: () => undefined },
  });
  await store.ready();
  const first = store.get("b/a");
  store.wrote(object("2", 1));
  const second = store.get("b/a");
  assert.equal(second?.metadata.resourceVersion, "2");
  assert.equal(second?.spec, first?.spec);
  assert.deepEqual(store.wrote(object("3", 2))?.spec, { replicas: 2 });
});
