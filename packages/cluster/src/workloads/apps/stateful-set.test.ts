import assert from "node:assert/strict";
import { test } from "node:test";
import { isTrue } from "../conditions.ts";
import type { ControllerRevision, DaemonSet, PersistentVolumeClaim, Pod, StatefulSet } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";

function claimTemplate(name: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}

async function createSet(world: World, spec: Partial<StatefulSet["spec"]> = {}): Promise<void> {
  const labels = { app: "db" };
  await world.objects.create<StatefulSet>(resourceTypes.statefulSets, {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "shop" },
    spec: {
      replicas: 3,
      serviceName: "db",
      podManagementPolicy: "OrderedReady",
      revisionHistoryLimit: 10,
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "db:1" }] } },
      ...spec,
    },
  });
}

function db({ objects }: World): StatefulSet {
  const set = objects.get<StatefulSet>(resourceTypes.statefulSets, "shop", "db");
  assert.ok(set);
  return set;
}

function images({ objects }: World): string[] {
  const pods = objects.list<Pod>(resourceTypes.pods, "shop");
  return pods.map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`).sort();
}

async function change(world: World, spec: Partial<StatefulSet["spec"]>): Promise<void> {
  const now = db(world);
  await world.objects.update(resourceTypes.statefulSets, { ...now, spec: { ...now.spec, ...spec } });
}

const secondTemplate = {
  metadata: { labels: { app: "db" } },
  spec: { containers: [{ name: "db", image: "db:2" }] },
};

test("Pods come in order, each once the one before is Ready, with their claims", async () => {
  using world = await startWorld({ podReadyDelayMs: 1_000 });
  await createSet(world, { volumeClaimTemplates: [claimTemplate("data")] });
  await world.pass(1_500);
  assert.deepEqual(images(world), ["db-0 db:1", "db-1 db:1"]);
  await world.pass(5_000);
  const { status } = db(world);
  assert.deepEqual([status?.replicas, status?.readyReplicas, status?.availableReplicas], [3, 3, 3]);
  assert.equal(status?.currentRevision, status?.updateRevision);
  const pod = world.objects.get<Pod>(resourceTypes.pods, "shop", "db-1");
  assert.equal(pod?.metadata.labels?.["statefulset.kubernetes.io/pod-name"], "db-1");
  assert.equal(pod?.metadata.labels?.["apps.kubernetes.io/pod-index"], "1");
  assert.equal(pod?.metadata.labels?.["controller-revision-hash"], status?.updateRevision);
  assert.deepEqual([pod?.spec.hostname, pod?.spec.subdomain], ["db-1", "db"]);
  const claims = world.objects.list<PersistentVolumeClaim>(resourceTypes.persistentVolumeClaims, "shop");
  assert.deepEqual(
    claims.map((claim) => [claim.metadata.name, claim.status?.phase]),
    [
      ["data-db-0", "Bound"],
      ["data-db-1", "Bound"],
      ["data-db-2", "Bound"],
    ],
  );
});

test("Parallel Pods come at once", async () => {
  using world = await startWorld({ podReadyDelayMs: 1_000 });
  await createSet(world, { podManagementPolicy: "Parallel" });
  await world.settle();
  assert.equal(images(world).length, 3);
});

test("an update goes from the last Pod to the partition", async () => {
  using world = await startWorld();
  await createSet(world);
  await world.pass(5_000);
  const { updateRevision: first } = db(world).status ?? {};
  await change(world, {
    template: secondTemplate,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
  });
  await world.pass(5_000);
  assert.deepEqual(images(world), ["db-0 db:1", "db-1 db:2", "db-2 db:2"]);
  const { status } = db(world);
  assert.deepEqual(
    [status?.currentRevision, status?.currentReplicas, status?.updatedReplicas],
    [first, 1, 2],
  );
  await world.objects.delete(resourceTypes.pods, "shop", "db-0");
  await world.pass(5_000);
  assert.equal(images(world)[0], "db-0 db:1");
  await change(world, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } });
  await world.pass(5_000);
  assert.deepEqual(images(world), ["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
  assert.equal(db(world).status?.currentRevision, db(world).status?.updateRevision);
});

test("OnDelete leaves Pods as they are until they are deleted", async () => {
  using world = await startWorld();
  await createSet(world, { updateStrategy: { type: "OnDelete" } });
  await world.pass(5_000);
  await change(world, { template: secondTemplate });
  await world.pass(5_000);
  assert.deepEqual(images(world), ["db-0 db:1", "db-1 db:1", "db-2 db:1"]);
  await world.objects.delete(resourceTypes.pods, "shop", "db-1");
  await world.pass(5_000);
  assert.equal(images(world)[1], "db-1 db:2");
});

test("scaling down takes the last Pods first and their claims where the policy says so", async () => {
  using world = await startWorld();
  await createSet(world, {
    volumeClaimTemplates: [claimTemplate("data")],
    persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" },
  });
  await world.pass(5_000);
  await change(world, { replicas: 1 });
  await world.pass(5_000);
  assert.deepEqual(images(world), ["db-0 db:1"]);
  const claims = world.objects.list(resourceTypes.persistentVolumeClaims, "shop");
  assert.deepEqual(
    claims.map(({ metadata }) => metadata.name),
    ["data-db-0"],
  );
  assert.equal(world.objects.list(resourceTypes.persistentVolumes).length, 1);
});

test("revisions hold a patch that restores the template, and only as many as asked for", async () => {
  using world = await startWorld();
  await createSet(world, { revisionHistoryLimit: 1 });
  await world.pass(5_000);
  for (const image of ["db:2", "db:3", "db:4"]) {
    const template = { ...secondTemplate, spec: { containers: [{ name: "db", image }] } };
    await change(world, { template });
    await world.pass(10_000);
  }
  const revisions = [...world.objects.list<ControllerRevision>(resourceTypes.controllerRevisions, "shop")];
  assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [3, 4]);
  const data = JSON.stringify(revisions.find(({ revision }) => revision === 3)?.data);
  assert.match(data, /"\$patch":"replace".*"image":"db:3"/);
});

test("a DaemonSet has one Pod on the one node and rolls it", async () => {
  using world = await startWorld();
  const labels = { app: "agent" };
  await world.objects.create<DaemonSet>(resourceTypes.daemonSets, {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "shop" },
    spec: {
      selector: { matchLabels: labels },
      revisionHistoryLimit: 10,
      updateStrategy: { type: "RollingUpdate" },
      template: { metadata: { labels }, spec: { containers: [{ name: "agent", image: "agent:1" }] } },
    },
  });
  await world.pass(1_000);
  const agent = () => world.objects.get<DaemonSet>(resourceTypes.daemonSets, "shop", "agent");
  assert.deepEqual(agent()?.status, {
    currentNumberScheduled: 1,
    desiredNumberScheduled: 1,
    numberMisscheduled: 0,
    numberReady: 1,
    numberAvailable: 1,
    updatedNumberScheduled: 1,
    observedGeneration: 1,
  });
  const now = agent();
  assert.ok(now);
  const template = { metadata: { labels }, spec: { containers: [{ name: "agent", image: "agent:2" }] } };
  await world.objects.update(resourceTypes.daemonSets, { ...now, spec: { ...now.spec, template } });
  await world.pass(1_000);
  const pods = world.objects.list<Pod>(resourceTypes.pods, "shop");
  assert.deepEqual(
    pods.map(({ spec }) => spec.containers[0]?.image),
    ["agent:2"],
  );
  assert.ok(isTrue(pods[0]?.status?.conditions, "Ready"));
  const revisions = world.objects.list(resourceTypes.controllerRevisions, "shop");
  assert.equal(revisions.length, 2);
});
