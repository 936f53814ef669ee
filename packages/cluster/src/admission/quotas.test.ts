import assert from "node:assert/strict";
import { test } from "node:test";
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
