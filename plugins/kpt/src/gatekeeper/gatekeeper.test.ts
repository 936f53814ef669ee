import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceList } from "../function.ts";
import { folderPolicies } from "../policy-tools.ts";
import { readResources } from "../read-resources.ts";
import { gatekeeper } from "./gatekeeper.ts";

const built = join(import.meta.dirname, "../../../../testenv/bin");
const opa = [built, ...(process.env.PATH ?? "").split(":")].find((folder) => existsSync(join(folder, "opa")));
const skip = opa === undefined ? "opa is neither built (npm run testenv -- opa) nor on PATH" : false;

const policy = (rego: string) => `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: deny}
spec:
  crd: {spec: {names: {kind: Deny}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    rego: |
${rego.replace(/^(?=.)/gm, "      ")}---
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: Deny
metadata: {name: refused}
spec:
  match: {kinds: [{apiGroups: [""], kinds: [ConfigMap]}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
`;

async function run(rego: string, path: string | undefined, timeoutMs = 60_000) {
  const items = readResources(new Map([["all.yaml", policy(rego)]]), "");
  const list: ResourceList = { items, functionConfig: undefined, results: [] };
  const around = {
    signal: AbortSignal.timeout(timeoutMs),
    clock: { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) },
    env:
      path === undefined ? { PATH: "/nowhere" } : { PATH: `${path}:${process.env.PATH}`, SECRET: "s3cret" },
    allowNetwork: false,
    readFile: async () => undefined,
  };
  const end = await gatekeeper(list, { ...around, runPolicies: folderPolicies(around) });
  return { end, results: list.results };
}

const denyAll = 'package deny\n\nviolation[{"msg": "no"}] {\n  true\n}\n';

test("a violation is told with its constraint, its resource and the place of that", { skip }, async () => {
  const { end, results } = await run(denyAll, opa);
  assert.deepEqual(results, [
    {
      message: "no\nviolatedConstraint: refused",
      severity: "error",
      resourceRef: { apiVersion: "v1", kind: "ConfigMap", name: "map" },
      file: { path: "all.yaml", index: 2 },
    },
  ]);
  assert.deepEqual(end, {
    exitCode: 1,
    stderr: "[error] v1/ConfigMap/map : no\nviolatedConstraint: refused",
  });
});

test("without opa it says what to install", async () => {
  await assert.rejects(run(denyAll, undefined), /opa.*Install opa 1\.0 or newer/s);
});

const forbidden = ['http.send({"method": "get", "url": "http://127.0.0.1:1"})', "opa.runtime().env.SECRET"];
for (const call of forbidden)
  test(`a policy cannot call ${call.replace(/\(.*/, "")}`, { skip }, async () => {
    const { results } = await run(
      `package deny\n\nviolation[{"msg": msg}] {\n  msg := sprintf("%v", [${call}])\n}\n`,
      opa,
    );
    assert.match(
      results[0]?.message ?? "",
      /adding template "deny".*deny\.rego:4: rego_type_error: undefined function/s,
    );
  });

test("a policy that never ends is ended with the render", { skip }, async () => {
  const endless =
    'package deny\n\nviolation[{"msg": "x"}] {\n  some a, b\n  x := numbers.range(1, 3000)\n  y := x[a] * x[b]\n  z := x[_] * y\n  z == 0\n}\n';
  await assert.rejects(run(endless, opa, 3_000), /timeout|aborted/i);
});
