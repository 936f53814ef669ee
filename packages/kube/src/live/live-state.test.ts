import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openSmallWorld, realClock, sketchProject } from "@capstan/testkit";
import { createControlState } from "./control-state.ts";
import type { LiveChange } from "./live-state.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const tracked = (name: string, app: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name,
    namespace: "default",
    annotations: { "argocd.argoproj.io/tracking-id": `${app}:/ConfigMap:default/${name}` },
  },
  data: { a: "1" },
});

test("changes are told with the application that they concern, deletions too", async () => {
  await using world = await openSmallWorld();
  const { live } = world.cluster;
  await live.ready(signal);
  const changes: LiveChange[] = [];
  const told = Promise.withResolvers<void>();
  live.onChange((change) => {
    if (change.key.name !== "one") return;
    changes.push(change);
    if (change.current === undefined) told.resolve();
  });
  const created = await world.kube.create(tracked("one", "web"), { signal });
  live.observe(created);
  assert.equal(live.managedBy("web").length, 1, "an own write is seen at once");
  await world.kube.delete(
    { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "one" },
    { signal },
  );
  await told.promise;
  assert.deepEqual(
    changes.map(({ apps, managed, previous, current }) => [
      ...apps,
      managed,
      previous === undefined,
      current === undefined,
    ]),
    [
      ["web", true, true, false],
      ["web", true, false, true],
    ],
  );
  live.observe(created);
  assert.deepEqual(live.managedBy("web"), [], "a late answer does not bring back what is gone");
});

test("a new kind is watched as soon as its CRD serves", async () => {
  await using world = await openSmallWorld();
  const { live } = world.cluster;
  await live.ready(signal);
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "pipes.example.com" },
    spec: {
      group: "example.com",
      names: { kind: "Pipe", plural: "pipes", singular: "pipe" },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
  await world.kube.create(crd, { signal });
  // The watch alone has to notice: nobody asks for new kinds here.
  await world.kube.discovery.refresh(signal);
  await world.kube.create(
    { apiVersion: "example.com/v1", kind: "Pipe", metadata: { name: "long" } },
    { signal },
  );
  const pipes = () => live.ofKind("example.com", "Pipe").length;
  await eventually(() => pipes() > 0 || undefined, { signal, describe: () => "no Pipe was seen" });
  assert.equal(pipes(), 1);
  const key = { group: "example.com", kind: "Pipe", namespace: "", name: "long" };
  assert.ok(live.get(key));
  await world.kube.delete(
    { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name },
    { signal },
  );
  const isGone = () => !live.kinds().some(({ kind }) => kind === "Pipe") || undefined;
  await eventually(isGone, { signal, describe: () => "the kind Pipe is still there" });
  assert.equal(live.get(key), undefined);
});

test("what is below a managed object is found from it", async () => {
  await using world = await openSmallWorld();
  const { live } = world.cluster;
  await live.ready(signal);
  const parent = await world.kube.create(tracked("parent", "web"), { signal });
  live.observe(parent);
  const uid = parent.metadata.uid ?? "";
  const child = await world.kube.create(
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "child",
        namespace: "default",
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "parent", uid }],
      },
    },
    { signal },
  );
  live.observe(child);
  assert.deepEqual(
    live.children(uid).map(({ metadata }) => metadata.name),
    ["child"],
  );
  assert.deepEqual(live.appsOf(child), ["web"]);
});

test("two states of one cluster hold one object", async () => {
  await using world = await openSmallWorld();
  const log = { info: () => undefined, warn: () => undefined };
  const { live } = world.cluster;
  await using control = createControlState({ client: world.kube, clock: realClock, log });
  await Promise.all([live.ready(signal), control.ready(signal)]);
  const key = { group: "argoproj.io", kind: "AppProject", namespace: "argocd", name: "shared" };
  await world.kube.create(sketchProject("shared"), { signal });
  const both = await eventually(() => [live.get(key), control.get(key)].every(Boolean) || undefined, {
    signal,
    describe: () => "the project is not seen",
  });
  assert.ok(both);
  assert.equal(live.get(key), control.get(key));
});
