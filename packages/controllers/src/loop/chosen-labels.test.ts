import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { chosenLabels, listedIn } from "./chosen-labels.ts";

test("labels that the settings choose are told, and others after the settings changed", async () => {
  const registry = new Registry();
  let setting = "";
  const collect = chosenLabels(registry, {
    name: "argocd_cluster_labels",
    help: "of clusters",
    of: ["server"],
    keys: () => listedIn(setting),
    rows: () => [{ of: { server: "https://k" }, labels: { "example.com/team": "a", tier: "prod" } }],
  });
  const told = async () => {
    collect();
    const lines = (await registry.metrics()).split("\n");
    return lines.filter((line) => line !== "" && !line.startsWith("#"));
  };
  assert.deepEqual(await told(), []);
  setting = "example.com/team, none";
  assert.deepEqual(await told(), [
    'argocd_cluster_labels{server="https://k",label_example_com_team="a",label_none=""} 1',
  ]);
  setting = "tier";
  assert.deepEqual(await told(), ['argocd_cluster_labels{server="https://k",label_tier="prod"} 1']);
  setting = "";
  assert.deepEqual(await told(), []);
});
