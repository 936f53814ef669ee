import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { configMapText, createGitRepository, sketchApplication, untilApplication } from "@capstan/testkit";
import { applicationRef, openSmallWorld, readObject } from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);

test("after a start no application is looked at before the projects are known, however late they come", async () => {
  await using git = await createGitRepository({ "app/one.yaml": configMapText("one") });
  let isLate = false;
  const followed = Promise.withResolvers<void>();
  await using world = await openSmallWorld({
    async intercept({ method, url }) {
      if (!isLate || method !== "GET") return undefined;
      if (/\/applications\?.*watch=/.test(url)) followed.resolve();
      if (!/\/appprojects(\?|$)/.test(url) || url.includes("watch=")) return undefined;
      // The applications are known by now: whoever were to look at them does.
      await followed.promise;
      for (let turns = 0; turns < 100; turns += 1) await nextTurn();
      return undefined;
    },
  });
  const app = sketchApplication({ name: "web", repoURL: git.url, path: "app" });
  await world.kube.create(app, { signal: limit() });
  await untilApplication(world.kube, "web", ({ sync, phase }) => sync === "Synced" && phase === "Succeeded");
  await world.controller.idle();
  const before = Object(await readObject(world, applicationRef("web"))).status;
  isLate = true;
  const begun = world.requests.length;
  await world.restartController();
  await world.controller.idle();
  const writes = world.requests.slice(begun).filter(({ method }) => method !== "GET");
  assert.deepEqual(
    writes.filter(({ body }) => body?.includes("InvalidSpecError")),
    [],
  );
  const { sync, conditions } = Object(await readObject(world, applicationRef("web"))).status;
  assert.deepEqual([sync, conditions], [before.sync, before.conditions]);
});
