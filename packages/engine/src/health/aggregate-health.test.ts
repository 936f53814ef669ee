import assert from "node:assert/strict";
import { test } from "node:test";
import type { HealthStatusCode } from "@capstan/model";
import { aggregateHealth, type HealthPart } from "./aggregate-health.ts";

const part = (name: string, status?: HealthStatusCode, extra: Partial<HealthPart> = {}): HealthPart => ({
  key: { group: "apps", kind: "Deployment", namespace: "shop", name },
  isLive: true,
  ...(status === undefined ? {} : { health: { status } }),
  ...extra,
});

const facts: [string, HealthPart[], { status: HealthStatusCode; message?: string }][] = [
  ["nothing is Healthy", [], { status: "Healthy" }],
  ["parts without health count as good", [part("a")], { status: "Healthy" }],
  [
    "the worst part decides and is named",
    [part("a", "Progressing"), part("b", "Degraded"), part("c", "Healthy")],
    { status: "Degraded", message: "Caused by Deployment:shop/b" },
  ],
  [
    "a missing part does not lower the whole",
    [part("a", "Healthy"), part("b", "Missing", { isLive: false })],
    { status: "Healthy" },
  ],
  ["all missing is Missing", [part("a", "Missing", { isLive: false })], { status: "Missing" }],
  [
    "ignored parts do not count",
    [part("a", "Healthy"), part("b", "Degraded", { isIgnored: true })],
    { status: "Healthy" },
  ],
  [
    "an unknown child application says nothing",
    [
      part("a", "Unknown", {
        key: { group: "argoproj.io", kind: "Application", namespace: "argocd", name: "a" },
      }),
    ],
    { status: "Healthy" },
  ],
  [
    "at most three culprits are named",
    ["a", "b", "c", "d", "e"].map((name) => part(name, "Progressing")),
    {
      status: "Progressing",
      message: "Caused by Deployment:shop/a, Deployment:shop/b, Deployment:shop/c, … and 2 more",
    },
  ],
];

for (const [fact, parts, expected] of facts) {
  test(fact, () => assert.deepEqual(aggregateHealth(parts), expected));
}
