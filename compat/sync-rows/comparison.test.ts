import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, deploymentText, eventually, sketchProject, untilApplication } from "@capstan/testkit";
import { configMapRef, openSmallWorld, readObject, refresh, untilObject } from "@capstan/testkit/worlds";
import {
  applySettings,
  begin,
  change,
  definitionOf,
  limit,
  placeIn,
  shareWorld,
  statusOf,
  sync,
} from "./place.ts";

const world = shareWorld();
const one = { "app/one.yaml": configMapText("one") };
const isSynced = ({ sync: status }: { sync: string }) => status === "Synced";
const isOther = ({ sync: status }: { sync: string }) => status === "OutOfSync";

const edits: Readonly<Record<string, { edit: object; found: (view: { sync: string }) => boolean }>> = {
  source: { edit: { source: { path: "other" } }, found: isOther },
  destination: { edit: { destination: { namespace: "elsewhere" } }, found: isOther },
  ignoreDifferences: {
    edit: { ignoreDifferences: [{ group: "", kind: "ConfigMap", jsonPointers: ["/data/key"] }] },
    found: isSynced,
  },
  managedNamespaceMetadata: {
    edit: {
      syncPolicy: {
        syncOptions: ["CreateNamespace=true"],
        managedNamespaceMetadata: { labels: { team: "x" } },
      },
    },
    found: isOther,
  },
};
for (const [what, { edit, found }] of Object.entries(edits))
  test(`another ${what} is compared at once`, async () => {
    const name = `edit-${what.toLowerCase()}`;
    await using there = await placeIn(world())(name, { ...one, "other/two.yaml": configMapText("two") });
    await sync(there);
    await untilApplication(world().kube, name, isSynced);
    if (found === isSynced) {
      const body = { data: { key: "drifted" } };
      await world().kube.patch(configMapRef(name, "one"), { type: "merge", body }, { signal: limit() });
      await untilApplication(world().kube, name, isOther);
    }
    await change(world(), name, { spec: edit });
    await untilApplication(world().kube, name, found);
  });

test("a change of a managed object is compared at once, and told without a sync", async () => {
  await using there = await placeIn(world())("drifting", { "app/web.yaml": deploymentText("web") });
  await sync(there);
  await untilApplication(world().kube, "drifting", isSynced);
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "drifting", name: "web" };
  const patch = (body: object) =>
    world().kube.patch(deployment, { type: "merge", body }, { signal: limit() });
  await patch({ spec: { replicas: 3 } });
  await untilApplication(world().kube, "drifting", isOther);
  await sync(there);
  await untilApplication(world().kube, "drifting", isSynced);
});

test("a project that the application may not use, and a destination that is none, are told and nothing is known", async () => {
  await world().kube.create(sketchProject("narrow", { sourceRepos: ["https://other.example/*"] }), {
    signal: limit(),
  });
  await using there = await placeIn(world())("narrowed", one, { spec: { project: "narrow" } });
  const view = await untilApplication(world().kube, "narrowed", ({ conditions }) => conditions.length > 0);
  assert.equal(view.conditions[0]?.type, "InvalidSpecError");
  assert.deepEqual([view.sync, view.health], ["Unknown", "Unknown"]);
  await begin(there);
  await untilApplication(world().kube, "narrowed", ({ phase }) => phase === "Error");
});

test("an Event is never watched", async () => {
  await using there = await placeIn(world())("events", one);
  await sync(there);
  const metadata = { name: "made", namespace: "events" };
  const involvedObject = { kind: "ConfigMap", namespace: "events", name: "one" };
  await world().kube.create(
    { apiVersion: "v1", kind: "Event", metadata, involvedObject },
    { signal: limit() },
  );
  // What comes after it is there, so that it would be.
  await world().kube.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "later" } },
    { signal: limit() },
  );
  const key = (kind: string, name: string) => ({ group: "", kind, namespace: "events", name });
  const { live } = world().cluster;
  await eventually(() => live.get(key("ConfigMap", "later")), {
    signal: limit(),
    describe: () => "nothing is seen",
  });
  assert.equal(live.get(key("Event", "made")), undefined);
});

test("a namespaced object goes to the destination's namespace, a cluster-scoped one has none", async () => {
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
  const metadata = { name: "rows-scoped", namespace: "nowhere" };
  await using there = await placeIn(world())("scoped", {
    ...one,
    "app/role.yaml": JSON.stringify({ ...role, metadata, rules: [] }),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  await untilApplication(world().kube, "scoped", isSynced);
  assert.ok(await readObject(world(), configMapRef("scoped", "one")));
  assert.ok(await readObject(world(), { ...role, name: "rows-scoped" }));
});

test("a copy that another controller made is nobody's, and an owned object is no root", async () => {
  await using there = await placeIn(world())("copied", one);
  await sync(there);
  const original = await readObject(world(), configMapRef("copied", "one"));
  const copy = (name: string, more: object) =>
    world().kube.create(
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace: "copied", annotations: original?.metadata.annotations ?? {}, ...more },
      },
      { signal: limit() },
    );
  await copy("copy", {});
  const { uid } = original?.metadata ?? {};
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "one", uid: uid ?? "" }];
  await copy("owned", { ownerReferences });
  await refresh(world(), "copied");
  await world().controller.idle();
  await sync(there, { prune: true });
  await untilApplication(world().kube, "copied", isSynced);
  const { resources } = await statusOf(there);
  const shown = resources.filter(({ status }: { status?: string }) => status !== undefined);
  assert.deepEqual(
    shown.map(({ name }: { name: string }) => name),
    ["one"],
  );
  assert.ok(await readObject(world(), configMapRef("copied", "copy")));
});

test("a CRD that left git stays, and nothing asks for its end", async () => {
  const crd = definitionOf({ group: "rows.example", kind: "Flute", plural: "flutes" });
  const flute = { apiVersion: "rows.example/v1", kind: "Flute", metadata: { name: "f" } };
  await using there = await placeIn(world())("definitions", {
    ...one,
    "app/crd.yaml": JSON.stringify(crd),
    "app/flute.yaml": JSON.stringify(flute),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  const ref = { apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
  assert.deepEqual((await readObject(world(), ref))?.metadata.annotations ?? {}, {});
  await there.git.commit({ "app/crd.yaml": undefined, "app/flute.yaml": undefined });
  await sync(there, { prune: true });
  await untilApplication(world().kube, "definitions", isSynced);
  assert.ok(await readObject(world(), ref));
});

test("a status that the API server does not take whole is written without its objects, and says so", async () => {
  let isFull = true;
  const tooLarge = {
    kind: "Status",
    code: 413,
    reason: "RequestEntityTooLarge",
    message: "limit is 3145728",
  };
  await using own = await openSmallWorld({
    intercept: ({ method, url, body }) =>
      isFull && method === "PATCH" && url.includes("/applications/large") && body?.includes('"resources"')
        ? Promise.resolve({ status: 413, headers: {}, body: JSON.stringify(tooLarge) })
        : undefined,
  });
  await using there = await placeIn(own)("large", one);
  const isSaid = ({ conditions }: { conditions: readonly { type: string; message: string }[] }) =>
    conditions.some(({ type, message }) => type === "UnknownError" && message.includes("limit is 3145728"));
  await untilApplication(own.kube, "large", isSaid);
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.ok(await readObject(own, configMapRef("large", "one")));
  isFull = false;
  await refresh(own, "large", "hard");
  const view = await untilApplication(own.kube, "large", ({ conditions }) => conditions.length === 0);
  assert.deepEqual(
    view.resources.map(({ name }) => name),
    ["one"],
  );
});

test("labels that track are not cut, and a name that is too long for one is refused", async () => {
  await using own = await openSmallWorld();
  await applySettings(own, { "application.resourceTrackingMethod": "label" });
  const long = `l${"o".repeat(70)}ng`;
  const spec = { destination: { server: "https://kubernetes.default.svc", namespace: "labelled" } };
  await using there = await placeIn(own)(long, one, { spec });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Failed");
  assert.match(message, /must be no more than 63/);
  await applySettings(own, { "application.resourceTrackingMethod": "annotation+label" });
  assert.equal((await sync(there)).phase, "Succeeded");
  const live = await readObject(own, configMapRef("labelled", "one"));
  assert.equal(live?.metadata.labels?.["app.kubernetes.io/instance"]?.length, 63);
  assert.equal(
    live?.metadata.annotations?.["argocd.argoproj.io/tracking-id"],
    `${long}:/ConfigMap:labelled/one`,
  );
  await applySettings(own, { "application.resourceTrackingMethod": "annotation" });
  await sync(there);
  await untilApplication(own.kube, long, isSynced);
  await untilObject(own, configMapRef("labelled", "one"), (object) => object?.metadata.labels === undefined);
});
