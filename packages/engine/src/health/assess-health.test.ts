import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { groupOf, type Manifest, parseManifests, parseYaml } from "@capstan/model";
import { assessHealth } from "./assess-health.ts";
import { healthRules } from "./health-rules.ts";

const compat = join(import.meta.dirname, "../../../../../shared/compat");
const builtin = join(compat, "argocd-builtin-health");
const scripted = join(compat, "argocd-health");

function readOne(file: string): Manifest {
  const [manifest] = parseManifests(readFileSync(file, "utf8"), { file });
  if (manifest === undefined) throw new Error(`${file} is empty`);
  return manifest;
}

/** Kinds that Argo CD judges by other means than a built-in rule. */
const withoutRule = new Set(["Application", "Service.serving.knative.dev"]);

test("built-in kinds have the health that Argo CD gives them", { skip: skipReason(builtin) }, () => {
  const allowed = new Map<string, Set<string>>();
  for (const line of readFileSync(join(builtin, "expected.yaml"), "utf8").split("\n")) {
    const match = /^([\w.-]+): (\w+)$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    allowed.set(match[1], (allowed.get(match[1]) ?? new Set()).add(match[2]));
  }
  let judged = 0;
  for (const [file, statuses] of allowed) {
    const live = readOne(join(builtin, file));
    if (withoutRule.has(live.kind) || live.apiVersion.startsWith("serving.knative.dev")) continue;
    const health = assessHealth(live);
    assert.ok(statuses.has(health?.status ?? "none"), `${file}: ${health?.status} (${health?.message})`);
    judged += 1;
  }
  assert.ok(judged > 40, `only ${judged} cases`);
});

/** Cases of kinds that have a rule; a new one is to be judged right at once. */
const leastJudged = 480;

test("third-party kinds have the health that Argo CD's scripts give them", {
  skip: skipReason(scripted),
}, () => {
  const known = new Set(healthRules.map(({ group, kind }) => `${group}/${kind}`));
  const wrong: string[] = [];
  let judged = 0;
  for (const file of globSync("*/*/health_test.yaml", { cwd: scripted })) {
    const folder = join(scripted, dirname(file));
    const cases = parseYaml(readFileSync(join(scripted, file), "utf8"));
    assert.ok(isRecord(cases) && Array.isArray(cases.tests));
    for (const one of cases.tests) {
      // Go reads names of fields in any case, and one file makes use of it.
      const path = isRecord(one) ? (one.inputPath ?? one.inputpath) : undefined;
      assert.ok(isRecord(one) && isRecord(one.healthStatus) && typeof path === "string", file);
      const live = readOne(join(folder, path));
      // In a cluster, what is being deleted says so before any script is asked.
      if (!known.has(`${groupOf(live.apiVersion)}/${live.kind}`) || live.metadata.deletionTimestamp) continue;
      judged += 1;
      const found = assessHealth(live)?.status;
      if (found !== one.healthStatus.status)
        wrong.push(`${file} ${path}: ${found}, not ${String(one.healthStatus.status)}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(judged >= leastJudged, `only ${judged} cases`);
});

for (const kind of [
  "apiextensions.k8s.io/CustomResourceDefinition",
  "argoproj.io/ApplicationSet",
  "batch/CronJob",
  "policy/PodDisruptionBudget",
]) {
  test(`${kind} says why, as Argo CD's script does`, { skip: skipReason(scripted) }, () => {
    const folder = join(scripted, kind);
    const cases = parseYaml(readFileSync(join(folder, "health_test.yaml"), "utf8"));
    assert.ok(isRecord(cases) && Array.isArray(cases.tests));
    for (const one of cases.tests) {
      assert.ok(isRecord(one) && isRecord(one.healthStatus) && typeof one.inputPath === "string");
      const live = readOne(join(folder, one.inputPath));
      if (live.metadata.deletionTimestamp === undefined)
        assert.equal(assessHealth(live)?.message, one.healthStatus.message, one.inputPath);
    }
  });
}

function skipReason(folder: string): string | false {
  return existsSync(folder) && readdirSync(folder).length > 0 ? false : `${folder} is not on this machine`;
}

const pod = (status: unknown, extra: Partial<Manifest["metadata"]> = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...extra },
  spec: { restartPolicy: "Always" },
  status,
});

test("an object that is being deleted is Progressing, whatever its kind", () => {
  const live: Manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  assert.deepEqual(assessHealth(live), { status: "Progressing", message: "Pending deletion" });
});

test("a hook that is being deleted keeps its own health while it carries the hook finalizer", () => {
  const live = pod(
    { phase: "Succeeded" },
    { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["argocd.argoproj.io/hook-finalizer"] },
  );
  assert.equal(assessHealth(live)?.status, "Healthy");
});

test("a kind without a rule has no health", () => {
  assert.equal(assessHealth({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }), undefined);
});

test("a version that the rule does not know is Unknown", () => {
  const live: Manifest = { apiVersion: "autoscaling/v2beta2", kind: "HorizontalPodAutoscaler", metadata: {} };
  assert.equal(assessHealth(live)?.status, "Unknown");
});

test("a script of the settings comes before the built-in rule", () => {
  const health = assessHealth(pod({ phase: "Running" }), () => ({ status: "Suspended" }));
  assert.deepEqual(health, { status: "Suspended" });
  assert.equal(
    assessHealth(pod({ phase: "Running" }), () => "none"),
    undefined,
  );
});

test("a back-off is told with the container's message", () => {
  const waiting = { reason: "ImagePullBackOff", message: "no such image" };
  const health = assessHealth(pod({ phase: "Pending", containerStatuses: [{ state: { waiting } }] }));
  assert.deepEqual(health, { status: "Degraded", message: "no such image" });
});

test("a status of an unexpected shape does no harm", () => {
  for (const phase of ["constructor", "__proto__"]) {
    const rollout = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", metadata: {}, status: { phase } };
    assert.deepEqual(assessHealth(rollout), { status: "Unknown" });
  }
  assert.equal(assessHealth(pod("broken"))?.status, "Unknown");
  assert.equal(assessHealth(pod({ phase: "Running", containerStatuses: {} }))?.status, "Progressing");
});

test("a message that would fill the Application's status is cut, whoever wrote it", () => {
  const message = "x".repeat(1_000_000);
  const failed = assessHealth(pod({ phase: "Failed", message }));
  const scripted = assessHealth(pod({ phase: "Running" }), () => ({ status: "Degraded", message }));
  for (const health of [failed, scripted])
    assert.deepEqual(health, { status: "Degraded", message: `${"x".repeat(2_000)} …` });
});
