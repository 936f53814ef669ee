import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "../conditions.ts";
import type { Deployment } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";
import type { APIService, HorizontalPodAutoscaler, PodDisruptionBudget } from "./kinds.ts";

const labels = { app: "web" };

async function createDeployment(world: World, replicas: number): Promise<void> {
  await world.objects.create<Deployment>(resourceTypes.deployments, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
}

test("an autoscaler keeps its target within bounds and is content", async () => {
  using world = await startWorld();
  await createDeployment(world, 1);
  await world.objects.create<HorizontalPodAutoscaler>(resourceTypes.horizontalPodAutoscalers, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      minReplicas: 2,
      maxReplicas: 4,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    },
  });
  await world.pass(2_000);
  const { status } =
    world.objects.get<HorizontalPodAutoscaler>(resourceTypes.horizontalPodAutoscalers, "shop", "web") ?? {};
  assert.deepEqual([status?.currentReplicas, status?.desiredReplicas], [2, 2]);
  assert.deepEqual(
    status?.conditions?.map(({ type, status: value }) => `${type} ${value}`),
    ["AbleToScale True", "ScalingActive True", "ScalingLimited False"],
  );
  const deployment = world.objects.get<Deployment>(resourceTypes.deployments, "shop", "web");
  assert.equal(deployment?.status?.availableReplicas, 2);
});

test("a disruption budget counts the healthy Pods that it can spare", async () => {
  using world = await startWorld();
  await createDeployment(world, 4);
  await world.objects.create<PodDisruptionBudget>(resourceTypes.podDisruptionBudgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "shop" },
    spec: { selector: { matchLabels: labels }, maxUnavailable: "25%" },
  });
  await world.pass(2_000);
  const budget = world.objects.get<PodDisruptionBudget>(resourceTypes.podDisruptionBudgets, "shop", "web");
  const { conditions, ...counts } = budget?.status ?? {};
  assert.deepEqual(counts, {
    observedGeneration: 1,
    currentHealthy: 4,
    desiredHealthy: 3,
    disruptionsAllowed: 1,
    expectedPods: 4,
  });
  assert.equal(findCondition(conditions, "DisruptionAllowed")?.reason, "SufficientPods");
});

test("an APIService is Available", async () => {
  using world = await startWorld();
  await world.objects.create<APIService>(resourceTypes.apiServices, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: { service: { name: "metrics", namespace: "kube-system" } },
  });
  await world.settle();
  const found = world.objects.get<APIService>(resourceTypes.apiServices, "", "v1beta1.metrics.k8s.io");
  assert.equal(findCondition(found?.status?.conditions, "Available")?.reason, "Passed");
});
