import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@capstan/flow";
import { at, TestCluster } from "../server/test-cluster.ts";

const core = "/api/v1/namespaces/default";
const used = (body: unknown): unknown => at(body, "status", "used", "secrets");

test("a quota lets in what fits, and again when something has gone", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(`${core}/resourcequotas`, {
    metadata: { name: "q" },
    spec: { hard: { secrets: "1" } },
  });
  await cluster.create(`${core}/secrets`, { metadata: { name: "a" } });
  const refused = await cluster.ask("POST", `${core}/secrets`, { body: { metadata: { name: "b" } } });
  assert.equal(refused.status, 403);
  assert.match(
    String(refused.body.message),
    /exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1/,
  );
  await cluster.ask("DELETE", `${core}/secrets/a`);
  await cluster.until(`${core}/resourcequotas/q`, ({ body }) => used(body) === "0");
  await cluster.create(`${core}/secrets`, { metadata: { name: "b" } });
  assert.equal(used((await cluster.get(`${core}/resourcequotas/q`)).body), "1");
});

test("a status that someone else wrote is counted anew at the next look", async (t) => {
  // The five minutes between two looks pass at once.
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(ms === 300_000 ? 20 : ms, signal);
  const cluster = await TestCluster.start(t, undefined, { ...systemClock, sleep });
  const quota = `${core}/resourcequotas/q`;
  await cluster.create(`${core}/resourcequotas`, {
    metadata: { name: "q" },
    spec: { hard: { secrets: "1" } },
  });
  const written = await cluster.patch(`${quota}/status`, "merge", { status: { used: { secrets: "7" } } });
  assert.equal(used(written.body), "7");
  await cluster.until(quota, ({ body }) => used(body) === "0");
});

test("a Deployment gets no more Pods than the quota of its namespace", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(`${core}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { pods: "2" } } });
  const labels = { app: "a" };
  await cluster.create("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "d" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const sets = "/apis/apps/v1/namespaces/default/replicasets";
  const failing = await cluster.until(sets, ({ text }) => text.includes("ReplicaFailure"));
  assert.match(failing.text, /exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2/);
});
