/** What is looked at because time has passed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inProcessPlugin } from "@capstan/plugin-kit";
import { type ApplicationView, configMapText, movedClock, untilApplication } from "@capstan/testkit";
import { applicationRef, builtInPlugins, configMapRef, refresh, untilObject } from "@capstan/testkit/worlds";
import { applySettings, change, limit, placeIn, shareWorld, sync } from "./place.ts";

const hour = 3_600_000;
const clock = movedClock();
/** What a tool makes of a commit; Capstan is not told when it changes. */
let made = "first";
const wind = inProcessPlugin({
  name: "wind",
  identity: "one",
  generate: async () => {
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { made } };
    return { manifests: [{ manifest }], commands: [] };
  },
});
const world = shareWorld({ clock, repoServer: { plugins: [...builtInPlugins, wind] } });
const isSynced = ({ sync: status }: ApplicationView) => status === "Synced";
const isOther = ({ sync: status }: ApplicationView) => status === "OutOfSync";

test("with an interval of zero no time makes a look, and a refresh does", async () => {
  await applySettings(world(), { "timeout.reconciliation": "0s" });
  const name = "timeless";
  await using there = await placeIn(world())(name, { "app/one.yaml": configMapText("one") });
  await sync(there);
  const { revision: first } = await untilApplication(world().kube, name, isSynced);
  const second = await there.git.commit({ "app/one.yaml": configMapText("one", "2") });
  clock.advance(24 * hour);
  // It is looked at for another reason, with what was due by then.
  const body = { data: { key: "drifted" } };
  await world().kube.patch(configMapRef(name, "one"), { type: "merge", body }, { signal: limit() });
  assert.equal((await untilApplication(world().kube, name, isOther)).revision, first);
  await refresh(world(), name);
  await untilApplication(world().kube, name, ({ revision }) => revision === second);
  const third = await there.git.commit({ "app/one.yaml": configMapText("one", "3") });
  await applySettings(world(), { "timeout.reconciliation": "120s" });
  clock.advance(hour);
  await untilApplication(world().kube, name, ({ revision }) => revision === third);
});

test("the interval of hard comparisons finds what a tool makes of the same commit now, others do not", async () => {
  await applySettings(world(), {
    "timeout.reconciliation": "120s",
    "timeout.hard.reconciliation": "48h",
  });
  const name = "windy";
  await using there = await placeIn(world())(name, { "app/one.yaml": configMapText("one") });
  const source = { plugin: { name: "wind" } };
  await change(world(), name, { spec: { source } });
  await untilApplication(world().kube, name, isOther);
  await sync(there);
  await untilApplication(world().kube, name, isSynced);
  made = "second";
  const compared = async () => {
    const app = await world().kube.get(applicationRef(name), limit());
    return Date.parse(Object(app?.status).reconciledAt);
  };
  const before = await compared();
  clock.advance(hour);
  await refresh(world(), name);
  await untilObject(world(), applicationRef(name), (app) => {
    const isAnswered = app?.metadata.annotations?.["argocd.argoproj.io/refresh"] === undefined;
    return isAnswered && Date.parse(Object(app?.status).reconciledAt) > before;
  });
  await world().controller.idle();
  assert.ok(isSynced(await untilApplication(world().kube, name, () => true)));
  clock.advance(48 * hour);
  await untilApplication(world().kube, name, isOther);
  await sync(there);
  await untilApplication(world().kube, name, isSynced);
  assert.deepEqual((await world().kube.get(configMapRef(name, "one"), limit()))?.data, { made: "second" });
});
