import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { diffManifest } from "./diff-manifest.ts";
import { defaultDiffRules } from "./diff-rules.ts";

const kind = { group: "example.com", kind: "Dummy" };
const dummy = (spec: unknown, apiVersion = "example.com/v1"): Manifest => ({
  apiVersion,
  kind: "Dummy",
  metadata: { name: "a", namespace: "b" },
  spec,
});

interface Case {
  readonly fact: string;
  readonly field: string;
  readonly type: string;
  readonly desired: unknown;
  readonly live: unknown;
  readonly apiVersion?: string;
  readonly verdict?: "same" | "modified";
}

const cases: Case[] = [
  {
    fact: "amounts of a list of resources",
    field: "spec",
    type: "core/v1/ResourceList",
    desired: { cpu: "2000m", memory: "1024Mi" },
    live: { cpu: "2", memory: "1Gi" },
  },
  {
    fact: "a quantity",
    field: "spec.size",
    type: "core/Quantity",
    desired: { size: 0.5 },
    live: { size: "500m" },
  },
  {
    fact: "a duration",
    field: "spec.wait",
    type: "meta/v1/Duration",
    desired: { wait: "60s" },
    live: { wait: "1m0s" },
  },
  {
    fact: "quantities and empty values of a Pod in a list",
    field: "spec.pods",
    type: "core/v1/PodSpec",
    desired: { pods: [{ hostNetwork: false, containers: [{ resources: { limits: { cpu: "0.1" } } }] }] },
    live: { pods: [{ containers: [{ resources: { limits: { cpu: "100m" } } }] }] },
  },
  {
    fact: "another amount",
    field: "spec",
    type: "core/v1/ResourceList",
    desired: { cpu: "2000m" },
    live: { cpu: "3" },
    verdict: "modified",
  },
  {
    fact: "a field beside",
    field: "spec.limits",
    type: "core/v1/ResourceList",
    desired: { requests: { cpu: "2000m" } },
    live: { requests: { cpu: "2" } },
    verdict: "modified",
  },
  {
    fact: "the same kind of another group",
    field: "spec",
    type: "core/v1/ResourceList",
    desired: { cpu: "2000m" },
    live: { cpu: "2" },
    apiVersion: "example.org/v1",
    verdict: "modified",
  },
];
for (const { fact, field, type, desired, live, apiVersion, verdict = "same" } of cases)
  test(`known types: ${fact} is ${verdict}`, () => {
    const knownTypeFields = [{ ...kind, field: field.split("."), type }];
    const sides = [dummy(desired, apiVersion), dummy(live, apiVersion)] as const;
    assert.equal(diffManifest(...sides, { ...defaultDiffRules, knownTypeFields }).verdict, verdict);
    assert.equal(diffManifest(...sides, defaultDiffRules).verdict, "modified");
  });
