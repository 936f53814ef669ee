import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceStatus } from "@capstan/model";
import {
  type ApplicationView,
  configMapText,
  deploymentText,
  eventually,
  sketchProject,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, refresh, untilObject } from "@capstan/testkit/worlds";
import { judge, judgedText, limit, marks, type Place, placeIn, shareWorld, statusOf, sync } from "./place.ts";

const world = shareWorld();
const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);
const isSynced = ({ sync: status }: ApplicationView) => status === "Synced";
const isOther = ({ sync: status }: ApplicationView) => status === "OutOfSync";

/** "a OutOfSync", with what is to be pruned. */
async function rows(there: Place): Promise<string[]> {
  const { resources }: { resources: ResourceStatus[] } = await statusOf(there);
  return resources
    .map(({ name, status, hook, requiresPruning }) =>
      [name, status, hook ? "hook" : undefined, requiresPruning ? "to be pruned" : undefined]
        .filter(Boolean)
        .join(" "),
    )
    .sort();
}

const untilRows = (there: Place, wanted: readonly string[]) => {
  let last: string[] = [];
  return eventually(
    async () => {
      last = await rows(there);
      return JSON.stringify(last) === JSON.stringify(wanted) || undefined;
    },
    { signal: limit(), describe: () => JSON.stringify(last) },
  );
};

test("what is alike is Synced; what is other, missing or no more in git is OutOfSync", async () => {
  const names = ["alike", "missing", "other", "surplus"];
  const files = Object.fromEntries(names.map((name) => [`app/${name}.yaml`, configMapText(name)]));
  await using there = await placeIn(world())("compared", files);
  await sync(there);
  await untilRows(
    there,
    names.map((name) => `${name} Synced`),
  );
  await until("compared", isSynced);
  const body = { data: { key: "drifted" } };
  await world().kube.patch(configMapRef("compared", "other"), { type: "merge", body }, { signal: limit() });
  await world().kube.delete(configMapRef("compared", "missing"), { signal: limit() });
  await there.git.commit({ "app/surplus.yaml": undefined });
  await refresh(world(), "compared");
  await untilRows(there, [
    "alike Synced",
    "missing OutOfSync",
    "other OutOfSync",
    "surplus OutOfSync to be pruned",
  ]);
  await until("compared", isOther);
});

test("what is marked IgnoreExtraneous shows that git lacks it, and the application is Synced all the same", async () => {
  const mark = marks({ "compare-options": "IgnoreExtraneous" });
  await using there = await placeIn(world())("extraneous", {
    "app/one.yaml": configMapText("one"),
    "app/two.yaml": configMapText("two", "1", mark),
  });
  await sync(there);
  await until("extraneous", isSynced);
  await there.git.commit({ "app/two.yaml": undefined });
  await refresh(world(), "extraneous");
  await untilRows(there, ["one Synced", "two OutOfSync to be pruned"]);
  await until("extraneous", isSynced);
});

test("a kind that the project forbids is Unknown, and counts for the application", async () => {
  const namespaceResourceBlacklist = [{ group: "apps", kind: "Deployment" }];
  const project = sketchProject("no-deployments", { namespaceResourceBlacklist });
  await world().kube.create(project, { signal: limit() });
  await using there = await placeIn(world())(
    "forbidden-kind",
    { "app/one.yaml": configMapText("one"), "app/web.yaml": deploymentText("web") },
    { spec: { project: "no-deployments" } },
  );
  await untilRows(there, ["one OutOfSync", "web Unknown"]);
  await until("forbidden-kind", isOther);
});

test("a hook that lives and what git says to skip have no status", async () => {
  await using there = await placeIn(world())("without-status", {
    "app/one.yaml": configMapText("one"),
    "app/hook.yaml": configMapText("hooked", "1", marks({ hook: "PreSync" })),
    "app/skipped.yaml": configMapText("skipped", "1", marks({ hook: "Skip" })),
  });
  assert.equal((await sync(there)).phase, "Succeeded");
  await untilObject(world(), configMapRef("without-status", "hooked"), (live) => live !== undefined);
  await until("without-status", isSynced);
  const found = await rows(there);
  assert.ok(found.includes("one Synced"), JSON.stringify(found));
  assert.deepEqual(
    found.filter((row) => !row.startsWith("one") && /Synced|OutOfSync/.test(row)),
    [],
  );
});

test("an application is as unhealthy as its worst object; what is missing lowers nothing, but where all is", async () => {
  const name = "worst";
  await using there = await placeIn(world())(name, {
    "app/one.yaml": judgedText("one", "Healthy"),
    "app/two.yaml": judgedText("two", "Healthy"),
  });
  await until(name, ({ health }) => health === "Missing");
  await sync(there);
  await until(name, ({ health }) => health === "Healthy");
  await judge(there, "one", "Progressing");
  await until(name, ({ health }) => health === "Progressing");
  await judge(there, "two", "Degraded");
  await until(name, ({ health }) => health === "Degraded");
  await world().kube.delete(configMapRef(name, "two"), { signal: limit() });
  await judge(there, "one", "Healthy");
  await until(name, ({ health }) => health === "Healthy");
  await world().kube.delete(configMapRef(name, "one"), { signal: limit() });
  await until(name, ({ health }) => health === "Missing");
});
