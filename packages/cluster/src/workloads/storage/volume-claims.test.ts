import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { startWorld, type World } from "../test-world.ts";
import type { PersistentVolume } from "./kinds.ts";

async function createClaim(world: World, name: string, storageClassName?: string): Promise<void> {
  await world.objects.create<PersistentVolumeClaim>(resourceTypes.persistentVolumeClaims, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "shop" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "2Gi" } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  });
}

function claim(world: World, name: string): PersistentVolumeClaim | undefined {
  return world.objects.get<PersistentVolumeClaim>(resourceTypes.persistentVolumeClaims, "shop", name);
}

test("a claim without a class is bound to a new volume of the default class, which goes with it", async () => {
  using world = await startWorld();
  await createClaim(world, "data");
  await world.settle();
  const bound = claim(world, "data");
  assert.deepEqual(bound?.status, {
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "2Gi" },
  });
  assert.equal(bound?.spec.storageClassName, "standard");
  const [volume] = world.objects.list<PersistentVolume>(resourceTypes.persistentVolumes);
  assert.equal(volume?.metadata.name, `pvc-${bound?.metadata.uid}`);
  assert.equal(volume?.status?.phase, "Bound");
  await world.objects.delete(resourceTypes.persistentVolumeClaims, "shop", "data");
  await world.settle();
  assert.deepEqual(world.objects.list(resourceTypes.persistentVolumes), []);
});

test("a claim of no class waits for the smallest volume that fits", async () => {
  using world = await startWorld();
  await createClaim(world, "data", "");
  await world.settle();
  assert.equal(claim(world, "data")?.status?.phase, "Pending");
  for (const [name, storage] of [
    ["small", "1Gi"],
    ["fits", "3Gi"],
    ["large", "1Ti"],
  ] as const) {
    await world.objects.create<PersistentVolume>(resourceTypes.persistentVolumes, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage } },
    });
  }
  await world.settle();
  assert.equal(claim(world, "data")?.status?.phase, "Bound");
  assert.equal(claim(world, "data")?.spec.volumeName, "fits");
});

test("a claim of an unknown class says so", async () => {
  using world = await startWorld();
  await createClaim(world, "data", "fast");
  await world.settle();
  assert.equal(claim(world, "data")?.status?.phase, "Pending");
  const [event] = world.objects.list(resourceTypes.events, "shop");
  assert.equal(event?.message, 'storageclass.storage.k8s.io "fast" not found');
});
