import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../types.ts";
import type { Container, Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";
import type { PodLogInput } from "./log-lines.ts";

const usual = { namespace: "shop", name: "job", follow: false, timestamps: false, previous: false };

async function createPod(world: World, containers: Container[], restartPolicy = "Never"): Promise<void> {
  await world.objects.create<Pod>(resourceTypes.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "job", namespace: "shop" },
    spec: { containers, restartPolicy },
  });
}

function shell(name: string, script: string): Container {
  return { name, image: "busybox", command: ["sh", "-c", script] };
}

function log(world: World, options: Partial<PodLogInput> = {}): string {
  const text = world.workloads.podLog({ ...usual, signal: world.signal, ...options });
  assert.ok(typeof text === "string");
  return text;
}

function refusal(act: () => unknown): [code: number, message: string] {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return [error.code, error.message];
  }
  assert.fail("was not refused");
}

test("a log holds what the command printed by now", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, [shell("main", "echo one; sleep 2; echo two; sleep 2; echo three")]);
  await world.pass(3_000);
  assert.equal(log(world), "one\ntwo\n");
  assert.equal(log(world, { timestamps: true, tailLines: 1 }), "2026-01-01T00:00:02.000000000Z two\n");
  await world.pass(5_000);
  assert.equal(log(world), "one\ntwo\nthree\n");
  assert.equal(log(world, { tailLines: 0 }), "");
  assert.equal(log(world, { limitBytes: 5 }), "one\nt");
  assert.equal(log(world, { sinceTime: "2026-01-01T00:00:01Z" }), "two\nthree\n");
});

test("a container that is not simulated further says so", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, [{ name: "web", image: "nginx:1" }], "Always");
  await world.settle();
  assert.equal(
    log(world),
    'capstan: container "web" of image "nginx:1" is simulated by capstan: nothing really runs\n',
  );
});

test("following a log yields lines as they come and ends with the container", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, [shell("main", "echo one; sleep 2; echo two")]);
  await world.settle();
  const pieces = world.workloads.podLog({ ...usual, follow: true, signal: world.signal });
  assert.ok(typeof pieces !== "string");
  const seen: string[] = [];
  const reading = (async () => {
    for await (const piece of pieces) seen.push(piece);
  })();
  await world.settle();
  assert.deepEqual(seen, ["one\n"]);
  await world.pass(2_000);
  await reading;
  assert.deepEqual(seen, ["one\n", "two\n"]);
});

test("a followed log ends when its reader leaves", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, [{ name: "web", image: "nginx" }], "Always");
  await world.settle();
  const reader = new AbortController();
  const pieces = world.workloads.podLog({ ...usual, follow: true, signal: reader.signal });
  assert.ok(typeof pieces !== "string");
  const iterator = pieces[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).done, false);
  const rest = iterator.next();
  reader.abort();
  assert.equal((await rest).done, true);
});

test("the log before a restart", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await createPod(world, [shell("main", "echo again; exit 1")], "Always");
  await world.settle();
  assert.equal(log(world, { previous: true }), "again\n");
});

test("refusals are worded as Kubernetes words them", async () => {
  using world = await startWorld({ podReadyDelayMs: 5_000 });
  assert.deepEqual(
    refusal(() => log(world)),
    [404, 'pods "job" not found'],
  );
  await createPod(world, [shell("a", "echo a"), shell("b", "echo b")]);
  await world.settle();
  assert.deepEqual(
    refusal(() => log(world)),
    [400, "a container name must be specified for pod job, choose one of: [a b]"],
  );
  assert.deepEqual(
    refusal(() => log(world, { container: "c" })),
    [400, "container c is not valid for pod job"],
  );
  assert.deepEqual(
    refusal(() => log(world, { container: "a" })),
    [400, 'container "a" in pod "job" is waiting to start: ContainerCreating'],
  );
  assert.deepEqual(
    refusal(() => log(world, { container: "a", previous: true })),
    [400, 'previous terminated container "a" in pod "job" not found'],
  );
});
