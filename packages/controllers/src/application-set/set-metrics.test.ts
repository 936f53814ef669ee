import assert from "node:assert/strict";
import { test } from "node:test";
import { argoApiVersion } from "@capstan/model";
import { Registry } from "prom-client";
import { createSetMetrics } from "./set-metrics.ts";

test("labels of sets that the settings choose are told, and others after the settings changed", async () => {
  const source = { repoURL: "https://git.example/shop.git", path: "." };
  const template = { metadata: { name: "a" }, spec: { project: "default", destination: {}, source } };
  const set = {
    apiVersion: argoApiVersion,
    kind: "ApplicationSet",
    metadata: { namespace: "argocd", name: "web", labels: { "team/of": "shop", tier: "1" } },
    spec: { generators: [], template },
  };
  const live = { ofKind: () => [set], children: () => [] };
  let chosen: string | undefined;
  const params = () => (chosen === undefined ? {} : { "capstan.metrics.applicationset.labels": chosen });
  const registry = new Registry();
  createSetMetrics(registry, { live, params });
  assert.doesNotMatch(await registry.metrics(), /argocd_appset_labels/);
  const labelsTold = async (keys: string) => {
    chosen = keys;
    // The metric is made while the others are read.
    await registry.metrics();
    return /^argocd_appset_labels\{.*$/m.exec(await registry.metrics())?.[0];
  };
  const of = 'argocd_appset_labels{namespace="argocd",name="web"';
  assert.equal(await labelsTold("team/of, absent"), `${of},label_team_of="shop",label_absent=""} 1`);
  assert.equal(await labelsTold("tier"), `${of},label_tier="1"} 1`);
});
