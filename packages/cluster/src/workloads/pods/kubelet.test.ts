import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition } from "../conditions.ts";
import type { Container, Pod, PodSpec } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";

interface PodFacts extends Partial<PodSpec> {
  annotations?: Record<string, string>;
  finalizers?: string[];
}

async function createPod(world: World, { annotations, finalizers, ...spec }: PodFacts = {}): Promise<void> {
  await world.objects.create<Pod>(resourceTypes.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "shop",
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
    },
    spec: {
      containers: [{ name: "web", image: "registry.example/web:1" }],
      restartPolicy: "Always",
      ...spec,
    },
  });
}

function web({ objects }: World): Pod {
  const pod = objects.get<Pod>(resourceTypes.pods, "shop", "web");
  assert.ok(pod);
  return pod;
}

function shell(name: string, script: string): Container {
  return { name, image: "busybox", command: ["sh", "-c", script] };
}

function conditions(world: World): Record<string, string> {
  const found = web(world).status?.conditions ?? [];
  return Object.fromEntries(
    found.map(({ type, status, reason }) => [type, reason ? `${status} ${reason}` : status]),
  );
}

function reasons({ objects }: World): string[] {
  return objects.list(resourceTypes.events, "shop").map(({ reason, count }) => `${reason} ${count}`);
}

test("a Pod is scheduled, waits for its delay and is Ready", async () => {
  using world = await startWorld({ podReadyDelayMs: 500 });
  await createPod(world);
  await world.settle();
  assert.equal(web(world).spec.nodeName, "capstan-simulated");
  assert.equal(web(world).status?.phase, "Pending");
  assert.deepEqual(web(world).status?.containerStatuses?.[0]?.state, {
    waiting: { reason: "ContainerCreating" },
  });
  await world.pass(500);
  const { status } = web(world);
  assert.equal(status?.phase, "Running");
  assert.equal(status?.qosClass, "BestEffort");
  assert.match(status?.podIP ?? "", /^10\.244\.\d+\.\d+$/);
  assert.deepEqual(conditions(world), {
    PodReadyToStartContainers: "True",
    Initialized: "True",
    Ready: "True",
    ContainersReady: "True",
    PodScheduled: "True",
  });
  const [container] = status?.containerStatuses ?? [];
  assert.equal(container?.ready, true);
  assert.match(container?.imageID ?? "", /^registry\.example\/web@sha256:[0-9a-f]{64}$/);
  assert.deepEqual(reasons(world).sort(), ["Created 1", "Pulled 1", "Scheduled 1", "Started 1"]);
});

test("an annotation sets the delay", async () => {
  using world = await startWorld({ podReadyDelayMs: 10 });
  await createPod(world, { annotations: { "capstan.dev/simulate-delay": "2s" } });
  await world.pass(1_900);
  assert.equal(web(world).status?.phase, "Pending");
  await world.pass(100);
  assert.equal(web(world).status?.phase, "Running");
});

test("a node selector that matches no node leaves the Pod unschedulable until the node has the label", async () => {
  using world = await startWorld();
  await createPod(world, { nodeSelector: { disk: "ssd" } });
  await world.pass(1_000);
  assert.equal(conditions(world).PodScheduled, "False Unschedulable");
  assert.match(
    findCondition(web(world).status?.conditions, "PodScheduled")?.message ?? "",
    /didn't match Pod's node affinity/,
  );
  assert.deepEqual(reasons(world), ["FailedScheduling 1"]);
  const [node] = world.objects.list(resourceTypes.nodes);
  assert.ok(node);
  const labels = { ...node.metadata.labels, disk: "ssd" };
  await world.objects.update(resourceTypes.nodes, { ...node, metadata: { ...node.metadata, labels } });
  await world.pass(1_000);
  assert.equal(web(world).status?.phase, "Running");
});

test("init containers run one after the other before the others", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  const initContainers = [shell("first", "sleep 2"), shell("second", "sleep 3")];
  await createPod(world, { initContainers });
  await world.pass(1_000);
  assert.equal(conditions(world).Initialized, "False ContainersNotInitialized");
  const states = () =>
    (web(world).status?.initContainerStatuses ?? []).map(({ state }) => Object.keys(state)[0]);
  assert.deepEqual(states(), ["running", "waiting"]);
  await world.pass(1_500);
  assert.deepEqual(states(), ["terminated", "running"]);
  assert.deepEqual(web(world).status?.containerStatuses?.[0]?.state, {
    waiting: { reason: "PodInitializing" },
  });
  await world.pass(3_000);
  assert.deepEqual(conditions(world).Ready, "True");
});

test("a sidecar runs on and stops with the Pod", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  const initContainers = [{ name: "proxy", image: "proxy", restartPolicy: "Always" }];
  await createPod(world, {
    initContainers,
    containers: [shell("job", "sleep 5; exit 0")],
    restartPolicy: "Never",
  });
  await world.pass(1_000);
  assert.equal(conditions(world).Ready, "True");
  await world.pass(5_000);
  assert.equal(web(world).status?.phase, "Succeeded");
  assert.equal(web(world).status?.initContainerStatuses?.[0]?.state.terminated?.exitCode, 0);
});

test("a command that fails ends a Pod that is not to restart", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, {
    containers: [shell("job", "echo working; sleep 2; exit 3")],
    restartPolicy: "Never",
  });
  await world.pass(1_000);
  assert.equal(web(world).status?.phase, "Running");
  await world.pass(1_000);
  assert.equal(web(world).status?.phase, "Failed");
  const { terminated } = web(world).status?.containerStatuses?.[0]?.state ?? {};
  assert.deepEqual([terminated?.exitCode, terminated?.reason], [3, "Error"]);
  assert.deepEqual(conditions(world).Ready, "False PodFailed");
});

test("an unknown command of a Pod that is meant to end succeeds", async () => {
  using world = await startWorld({ podReadyDelayMs: 100 });
  await createPod(world, { restartPolicy: "Never" });
  await world.pass(300);
  assert.equal(web(world).status?.phase, "Succeeded");
  assert.deepEqual(conditions(world).Ready, "False PodCompleted");
});

test("a container that keeps failing restarts at once, then backs off longer each time", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, { annotations: { "capstan.dev/simulate": "crash-loop" } });
  await world.settle();
  const status = () => web(world).status?.containerStatuses?.[0];
  assert.equal(status()?.restartCount, 1);
  assert.equal(status()?.state.waiting?.reason, "CrashLoopBackOff");
  assert.match(
    status()?.state.waiting?.message ?? "",
    /^back-off 10s restarting failed container=web pod=web_shop\(/,
  );
  assert.equal(status()?.lastState.terminated?.exitCode, 1);
  await world.pass(10_000);
  assert.equal(status()?.restartCount, 2);
  await world.pass(19_000);
  assert.equal(status()?.restartCount, 2);
  await world.pass(1_000);
  assert.equal(status()?.restartCount, 3);
  assert.equal(web(world).status?.phase, "Running");
  assert.equal(conditions(world).Ready, "False ContainersNotReady");
  assert.ok(reasons(world).includes("BackOff 3"));
});

test("annotations: never ready, pending, no image", async () => {
  const expected: Record<string, [phase: string, ready: string | undefined]> = {
    "never-ready": ["Running", "False ContainersNotReady"],
    pending: ["Pending", undefined],
    "image-pull-error": ["Pending", "False ContainersNotReady"],
  };
  for (const [mode, [phase, ready]] of Object.entries(expected)) {
    using world = await startWorld();
    await createPod(world, { annotations: { "capstan.dev/simulate": mode } });
    await world.pass(5_000);
    assert.deepEqual([web(world).status?.phase, conditions(world).Ready], [phase, ready], mode);
  }
});

test("a Pod waits for its ConfigMaps, Secrets and claims", async () => {
  using world = await startWorld();
  await createPod(world, {
    volumes: [{ name: "settings", configMap: { name: "settings" } }],
    containers: [{ name: "web", image: "web", envFrom: [{ secretRef: { name: "token" } }] }],
  });
  await world.pass(1_000);
  assert.equal(web(world).status?.containerStatuses?.[0]?.state.waiting?.reason, "ContainerCreating");
  assert.ok(reasons(world).includes("FailedMount 1"));
  const data = (kind: string, name: string) => ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "shop" },
  });
  await world.objects.create(resourceTypes.configMaps, data("ConfigMap", "settings"));
  await world.pass(1_000);
  const { waiting } = web(world).status?.containerStatuses?.[0]?.state ?? {};
  assert.deepEqual(waiting, { reason: "CreateContainerConfigError", message: 'secret "token" not found' });
  await world.objects.create(resourceTypes.secrets, data("Secret", "token"));
  await world.pass(1_000);
  assert.equal(conditions(world).Ready, "True");
});

test("deletion is graceful for whoever holds a finalizer, and quick", async () => {
  using world = await startWorld();
  await createPod(world, { finalizers: ["example.com/hold"] });
  await world.pass(1_000);
  await world.objects.delete(resourceTypes.pods, "shop", "web");
  await world.settle();
  assert.equal(web(world).status?.phase, "Failed");
  assert.equal(web(world).status?.containerStatuses?.[0]?.state.terminated?.exitCode, 143);
  const pod = web(world);
  await world.objects.update(resourceTypes.pods, { ...pod, metadata: { ...pod.metadata, finalizers: [] } });
  await world.objects.delete(resourceTypes.pods, "shop", "web", { gracePeriodSeconds: 0 });
  await world.settle();
  assert.deepEqual(world.objects.list(resourceTypes.pods), []);
});

test("a Pod past its deadline fails", async () => {
  using world = await startWorld();
  await createPod(world, {
    activeDeadlineSeconds: 5,
    restartPolicy: "Never",
    containers: [shell("job", "sleep 60")],
  });
  await world.pass(6_000);
  assert.deepEqual([web(world).status?.phase, web(world).status?.reason], ["Failed", "DeadlineExceeded"]);
});

test("another process takes up what the status tells", async () => {
  using first = await startWorld({ podReadyDelayMs: 0 });
  await createPod(first, { annotations: { "capstan.dev/simulate": "crash-loop" } });
  await first.pass(12_000);
  const before = web(first).status;
  first[Symbol.dispose]();
  using second = await startWorld({ podReadyDelayMs: 0, objects: first.objects, clock: first.clock });
  assert.deepEqual(web(second).status, before);
  await second.pass(30_000);
  assert.equal(web(second).status?.containerStatuses?.[0]?.restartCount, 3);
});
