import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, realClock, sketchProject } from "@capstan/testkit";
import { openSmallWorld } from "@capstan/testkit/worlds";
import type { KubeResponse } from "../transport/transport.ts";
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
const pipe = { apiVersion: "example.com/v1", kind: "Pipe", metadata: { name: "long" } };

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
  await world.kube.create(crd, { signal });
  // The watch alone has to notice: nobody asks the live state for new kinds here. A real server serves it a moment later.
  const isServed = async () =>
    (await world.kube.discovery.refresh(signal)).some(({ kind }) => kind === "Pipe");
  await eventually(isServed, { signal, describe: () => "the kind Pipe is not served" });
  await world.kube.create(pipe, { signal });
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

test("a kind that the server serves a moment after its definition is watched then, and no more a moment after its end", async () => {
  const signal = AbortSignal.timeout(60_000);
  /** What the server says to the next questions for its kinds. */
  let stale: KubeResponse | undefined;
  let left = 0;
  await using world = await openSmallWorld({
    async intercept({ url }) {
      if (url !== "/apis" || left === 0 || !stale) return undefined;
      left -= 1;
      return stale;
    },
  });
  const { live } = world.cluster;
  await live.ready(signal);
  const isWatched = () => live.kinds().some(({ kind }) => kind === "Pipe");
  const staleFor = async (questions: number) => {
    const headers = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
    stale = await world.transport({ method: "GET", url: "/apis", headers, signal });
    left = questions;
  };
  await staleFor(3);
  await world.kube.create(crd, { signal });
  await eventually(isWatched, { signal, describe: () => "the kind Pipe is not watched" });
  assert.equal(left, 0);
  await staleFor(3);
  const { apiVersion, kind, metadata } = crd;
  await world.kube.delete({ apiVersion, kind, name: metadata.name }, { signal });
  await eventually(() => !isWatched(), { signal, describe: () => "the kind Pipe is still watched" });
  assert.equal(left, 0);
});

test("that a server wants a moment for a kind that was just defined is no problem of the cluster, a longer time is", async () => {
  /** Of the cluster, whenever the kind is asked for. */
  const told: string[][] = [];
  const body = {
    kind: "Status",
    code: 429,
    reason: "TooManyRequests",
    message: "storage is (re)initializing",
  };
  await using world = await openSmallWorld({
    async intercept({ url }) {
      if (!url.startsWith("/apis/example.com/v1/pipes") || url.includes("watch=true")) return undefined;
      told.push(world.cluster.live.stats().problems.map(({ problem }) => problem));
      return told.length > 2 ? undefined : { status: 429, headers: {}, body: JSON.stringify(body) };
    },
  });
  const { live } = world.cluster;
  await live.ready(signal);
  await world.kube.create(crd, { signal });
  const isRead = () =>
    told.length > 2 && live.unreadable({ group: "example.com", kind: "Pipe" }) === undefined;
  await eventually(isRead, { signal, describe: () => `Pipe is not read: ${JSON.stringify(told)}` });
  assert.deepEqual(told, [[], [], ["storage is (re)initializing"]]);
  assert.deepEqual(live.stats().problems, []);
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
