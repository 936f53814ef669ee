import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "../conditions.ts";
import type { Deployment, Pod, ReplicaSet } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";

function deployment(name: string, spec: Partial<Deployment["spec"]> = {}): Deployment {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "shop", annotations: { team: "blue" } },
    spec: {
      replicas: 3,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      ...spec,
    },
  };
}

function current({ objects }: World, name = "web"): Deployment {
  const found = objects.get<Deployment>(resourceTypes.deployments, "shop", name);
  assert.ok(found);
  return found;
}

function pods({ objects }: World): readonly Pod[] {
  return objects.list<Pod>(resourceTypes.pods, "shop");
}

function sets({ objects }: World): ReplicaSet[] {
  const all = [...objects.list<ReplicaSet>(resourceTypes.replicaSets, "shop")];
  return all.sort((a, b) => revision(a) - revision(b));
}

function revision(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.["deployment.kubernetes.io/revision"]);
}

async function change(world: World, spec: (now: Deployment["spec"]) => Deployment["spec"]): Promise<void> {
  const now = current(world);
  await world.objects.update(resourceTypes.deployments, { ...now, spec: spec(now.spec) });
}

const withImage =
  (image: string) =>
  (spec: Deployment["spec"]): Deployment["spec"] => ({
    ...spec,
    template: { ...spec.template, spec: { containers: [{ name: "web", image }] } },
  });

function events({ objects }: World): string[] {
  return objects.list(resourceTypes.events, "shop").map(({ reason, message }) => `${reason}: ${message}`);
}

test("a Deployment becomes available through a ReplicaSet of its Pods", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web"));
  await world.pass(1_000);
  const { metadata, status } = current(world);
  const [set] = sets(world);
  assert.ok(set);
  const hash = set.metadata.labels?.["pod-template-hash"];
  assert.equal(set.metadata.name, `web-${hash}`);
  assert.equal(set.metadata.annotations?.team, "blue");
  assert.equal(metadata.annotations?.["deployment.kubernetes.io/revision"], "1");
  assert.equal(pods(world).length, 3);
  assert.ok(
    pods(world).every(
      ({ metadata: pod }) =>
        pod.name?.startsWith(`web-${hash}-`) && pod.labels?.["pod-template-hash"] === hash,
    ),
  );
  const { conditions = [], ...counts } = status ?? {};
  assert.deepEqual(counts, {
    observedGeneration: 1,
    replicas: 3,
    terminatingReplicas: 0,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  assert.deepEqual(
    conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message]).sort(),
    [
      ["Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."],
      [
        "Progressing",
        "True",
        "NewReplicaSetAvailable",
        `ReplicaSet "web-${hash}" has successfully progressed.`,
      ],
    ],
  );
  assert.ok(events(world).includes(`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`));
});

test("a rolling update never has fewer than it may and leaves the old set empty", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web", { replicas: 4 }));
  await world.pass(1_000);
  const sizes: number[] = [];
  const ready: number[] = [];
  world.objects.subscribe(resourceTypes.pods, () => {
    const all = pods(world).filter(({ metadata }) => !metadata.deletionTimestamp);
    sizes.push(all.length);
    ready.push(
      all.filter(({ status }) => findCondition(status?.conditions, "Ready")?.status === "True").length,
    );
  });
  await change(world, withImage("web:2"));
  await world.pass(10_000);
  assert.equal(Math.max(...sizes), 5);
  assert.equal(Math.min(...ready), 3);
  assert.deepEqual(
    sets(world).map((set) => [revision(set), set.spec.replicas]),
    [
      [1, 0],
      [2, 4],
    ],
  );
  assert.equal(current(world).metadata.annotations?.["deployment.kubernetes.io/revision"], "2");
  assert.ok(pods(world).every(({ spec }) => spec.containers[0]?.image === "web:2"));
});

test("going back to an old template gives its set a new revision", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web"));
  await world.pass(1_000);
  await change(world, withImage("web:2"));
  await world.pass(5_000);
  await change(world, withImage("web:1"));
  await world.pass(5_000);
  assert.deepEqual(
    sets(world).map((set) => [revision(set), set.spec.replicas]),
    [
      [2, 0],
      [3, 3],
    ],
  );
  assert.equal(sets(world)[1]?.metadata.annotations?.["deployment.kubernetes.io/revision-history"], "1");
});

test("Recreate has no old Pod left when the first new one comes", async () => {
  using world = await startWorld();
  await world.objects.create(
    resourceTypes.deployments,
    deployment("web", { strategy: { type: "Recreate" } }),
  );
  await world.pass(1_000);
  const mixtures: number[] = [];
  world.objects.subscribe(resourceTypes.pods, () => {
    mixtures.push(new Set(pods(world).map(({ spec }) => spec.containers[0]?.image)).size);
  });
  await change(world, withImage("web:2"));
  await world.pass(5_000);
  assert.equal(Math.max(...mixtures), 1);
  assert.equal(current(world).status?.availableReplicas, 3);
});

test("a rollout that cannot finish passes its deadline", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web", { progressDeadlineSeconds: 20 }));
  await world.pass(1_000);
  await change(world, (spec) => ({
    ...spec,
    template: {
      metadata: { ...spec.template.metadata, annotations: { "capstan.dev/simulate": "never-ready" } },
      spec: spec.template.spec,
    },
  }));
  await world.pass(60_000);
  const progressing = findCondition(current(world).status?.conditions, "Progressing");
  assert.equal(progressing?.reason, "ProgressDeadlineExceeded");
  assert.equal(progressing?.status, "False");
  assert.equal(findCondition(current(world).status?.conditions, "Available")?.status, "True");
  assert.equal(current(world).status?.unavailableReplicas, 1);
});

test("scaling, pausing and the history limit", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web", { revisionHistoryLimit: 1 }));
  await world.pass(1_000);
  await change(world, (spec) => ({ ...spec, replicas: 5, paused: true }));
  await world.pass(1_000);
  assert.equal(current(world).status?.availableReplicas, 5);
  assert.equal(findCondition(current(world).status?.conditions, "Progressing")?.reason, "DeploymentPaused");
  await change(world, withImage("web:2"));
  await world.pass(1_000);
  assert.equal(sets(world).length, 1);
  await change(world, (spec) => ({ ...spec, paused: false }));
  await world.pass(10_000);
  await change(world, withImage("web:3"));
  await world.pass(10_000);
  assert.deepEqual(sets(world).map(revision), [2, 3]);
  await change(world, (spec) => ({ ...spec, replicas: 0 }));
  await world.pass(1_000);
  assert.equal(pods(world).length, 0);
  assert.equal(findCondition(current(world).status?.conditions, "Available")?.status, "True");
});

test("an orphaned ReplicaSet and its Pods are taken on again", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.deployments, deployment("web"));
  await world.pass(1_000);
  const [set] = sets(world);
  assert.ok(set);
  const orphan = { ...set, metadata: { ...set.metadata, ownerReferences: [] } };
  const { uid } = current(world).metadata;
  await world.objects.update(resourceTypes.replicaSets, orphan);
  await world.pass(1_000);
  assert.equal(sets(world).length, 1);
  assert.equal(sets(world)[0]?.metadata.ownerReferences?.[0]?.uid, uid);
  const before = pods(world).map(({ metadata }) => metadata.uid);
  assert.equal(before.length, 3);
});

test("an unchanged cluster costs no writes", async () => {
  using world = await startWorld();
  for (let at = 0; at < 20; at++)
    await world.objects.create(resourceTypes.deployments, deployment(`web-${at}`));
  await world.pass(5_000);
  const { writes } = world.objects;
  await world.pass(50_000);
  assert.equal(world.objects.writes, writes);
});
