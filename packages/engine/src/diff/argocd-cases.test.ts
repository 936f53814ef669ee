import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Manifest, parseManifests } from "@capstan/model";
import { diffManifest } from "./diff-manifest.ts";
import { type DiffResult, defaultDiffRules } from "./diff-rules.ts";

const folder = join(import.meta.dirname, "../../../../../shared/compat/argocd-diff");
const skip = existsSync(folder) ? false : `${folder} is not on this machine`;

function read(name: string): Manifest {
  const [manifest] = parseManifests(readFileSync(join(folder, name), "utf8"), { file: name });
  if (manifest === undefined) throw new Error(`${name} is empty`);
  return manifest;
}

/** Verdicts as Argo CD has them; where it asks its structured merge or the server, ours is a doubt. */
const cases: [string, string, DiffResult["verdict"][]][] = [
  ["aggr-clusterrole-config.json", "aggr-clusterrole-live.json", ["same"]],
  ["deployment-config.json", "deployment-live.json", ["modified"]],
  ["elasticsearch-config.json", "elasticsearch-live.json", ["same", "doubt"]],
  ["endpoints-config.json", "endpoints-live.json", ["same", "doubt"]],
  ["grafana-clusterrole-config.json", "grafana-clusterrole-live.json", ["same"]],
  ["mutatingwebhookconfig-config.json", "mutatingwebhookconfig-live.json", ["same", "doubt"]],
  ["sealedsecret-config.json", "sealedsecret-live.json", ["same"]],
  ["spinnaker-sa-config.json", "spinnaker-sa-live.json", ["same"]],
  ["smd-deploy2-config.yaml", "smd-deploy2-live.yaml", ["modified", "doubt"]],
  ["smd-deploy2-config.yaml", "smd-deploy2-predicted-live.json", ["same", "doubt"]],
  ["smd-service-config.yaml", "smd-service-live.yaml", ["modified"]],
  ["smd-service-config-ports.yaml", "smd-service-live.yaml", ["modified"]],
  ["smd-service-config-2-ports.yaml", "smd-service-live.yaml", ["modified"]],
  ["smd-service-config.yaml", "smd-service-live-with-type.yaml", ["modified"]],
  ["ssd-deploy-composite-key-config.yaml", "ssd-deploy-composite-key-live.yaml", ["modified"]],
  ["ssd-deploy-composite-key-config.yaml", "ssd-deploy-composite-key-predicted-live.json", ["same"]],
  ["ssd-deploy-nested-config.yaml", "ssd-deploy-nested-live.yaml", ["modified"]],
  ["ssd-deploy-nested-config.yaml", "ssd-deploy-nested-predicted-live.json", ["same"]],
  ["ssd-deploy-with-manual-apply-config.yaml", "ssd-deploy-with-manual-apply-live.yaml", ["modified"]],
  [
    "ssd-deploy-with-manual-apply-config.yaml",
    "ssd-deploy-with-manual-apply-predicted-live.json",
    ["same", "doubt"],
  ],
  ["ssd-svc-no-label-config.yaml", "ssd-svc-no-label-predicted-live.json", ["same", "doubt"]],
  ["ssd-svc-no-label-config.yaml", "ssd-svc-label-live.yaml", ["modified", "doubt"]],
];

for (const [config, live, verdicts] of cases) {
  test(`Argo CD's case ${config} against ${live}`, { skip }, () => {
    const { verdict, fields } = diffManifest(read(config), read(live), defaultDiffRules);
    assert.ok(verdicts.includes(verdict), `${verdict}: ${JSON.stringify(fields)}`);
  });
}
