import assert from "node:assert/strict";
import { test } from "node:test";
import { realClock } from "@capstan/testkit";
import { openSmallWorld, readObject } from "@capstan/testkit/worlds";
import { adminPasswordHolds, prepareControlNamespace } from "./prepare-control-namespace.ts";

const signal = AbortSignal.timeout(120_000);

test("servers that begin at once agree on the admin's first password: it is the one that is told", async () => {
  await using world = await openSmallWorld();
  await world.stopController();
  const { kube } = world;
  for (let round = 0; round < 5; round += 1) {
    const namespace = `control-${round}`;
    const begin = (adminPassword: string) =>
      prepareControlNamespace({ kube, namespace, adminPassword, clock: realClock, signal });
    await Promise.all(["one", "two", "three"].map(begin));
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: "argocd-initial-admin-secret" };
    const told = Object((await readObject(world, ref))?.data).password;
    const adminPassword = Buffer.from(String(told), "base64").toString();
    assert.equal(await adminPasswordHolds({ kube, namespace, adminPassword, signal }), true, namespace);
  }
});
