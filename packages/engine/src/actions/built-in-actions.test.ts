import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import { CapstanError, type Manifest, parseManifests, parseYaml } from "@capstan/model";
import { offeredActions, performBuiltIn } from "./built-in-actions.ts";

const folder = join(import.meta.dirname, "../../../../../shared/compat/argocd-health");
const skip = existsSync(folder) ? false : `${folder} is not on this machine`;
const nowMs = Date.parse("2026-01-02T03:04:05Z");

/** Kinds whose actions are Argo CD's alone. */
const notBuiltIn = [
  "numaflow.numaproj.io/InterStepBufferService",
  "numaflow.numaproj.io/MonoVertex",
  "numaflow.numaproj.io/Pipeline",
  "numaplane.numaproj.io/MonoVertexRollout",
  "numaplane.numaproj.io/PipelineRollout",
];

function readOne(file: string): Manifest {
  const [manifest] = parseManifests(readFileSync(file, "utf8"), { file });
  if (manifest === undefined) throw new Error(`${file} is empty`);
  return manifest;
}

/** New scripts' cases are lists of `{k8sOperation, unstructuredObj}`, old ones' the object. */
function expectedIn(file: string): unknown[] {
  const told = parseYaml(readFileSync(file, "utf8"));
  return Array.isArray(told) ? told.map((one) => (isRecord(one) ? one.unstructuredObj : one)) : [told];
}

const times = /^(?:By Argo CD at: )?\d{4}-\d\d-\d\dT[\d:]+Z?$/;
const unread = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

/** Without times, names that hold one, and what a script cannot say: an empty table. */
function comparable(object: unknown, isMade: boolean): unknown {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return times.test(value) ? "<time>" : value;
    if (Array.isArray(value)) return value.map((item) => clean(item));
    if (!isRecord(value)) return value;
    const fields = Object.entries(value)
      .filter(
        ([field, inner]) =>
          inner !== null && !(isRecord(inner) && Object.keys(inner).length === 0) && !unread.includes(field),
      )
      .map(([field, inner]) => [field, clean(inner)]);
    return Object.fromEntries(fields);
  };
  const cleaned = clean(parseJson(stringifyJson(object)));
  // The cases of these were written down after the controllers had seen the change.
  if (isRecord(cleaned) && cleaned.apiVersion === "apps/v1") delete cleaned.status;
  if (isMade && isRecord(cleaned) && isRecord(cleaned.metadata)) {
    cleaned.metadata.name = "<made>";
    // Argo CD's script writes them beside the metadata, where no API server reads them, and its test leaves out the time.
    cleaned.metadata.finalizers ??= cleaned.finalizers;
    delete cleaned.finalizers;
    const { annotations } = cleaned.metadata;
    if (isRecord(annotations)) delete annotations["workflows.argoproj.io/scheduled-time"];
  }
  return cleaned;
}

test("built-in actions are offered, and do, what Argo CD's scripts do", { skip }, () => {
  const judged = { offered: 0, done: 0 };
  const lacking: string[] = [];
  for (const file of globSync("*/*/actions/action_test.yaml", { cwd: folder }).sort()) {
    const at = join(folder, dirname(file));
    const told = parseYaml(readFileSync(join(folder, file), "utf8"));
    assert.ok(isRecord(told));
    const listOf = (name: string) => (Array.isArray(told[name]) ? told[name].filter(isRecord) : []);
    const kind = dirname(dirname(file));
    if (notBuiltIn.includes(kind)) {
      lacking.push(kind);
      continue;
    }
    for (const { inputPath, result } of listOf("discoveryTests")) {
      const expected = (Array.isArray(result) ? result.filter(isRecord) : []).map((one) => [
        one.name,
        one.disabled === true,
        one.displayName || undefined,
        one.iconClass,
      ]);
      const offered = offeredActions(readOne(join(at, String(inputPath)))).map((one) => [
        one.name,
        one.disabled,
        one.displayName,
        one.iconClass,
      ]);
      assert.deepEqual(offered.sort(), expected.sort(), `${kind} ${String(inputPath)}`);
      judged.offered += 1;
    }
    for (const { action, inputPath, expectedOutputPath, expectedErrorMessage, parameters } of listOf(
      "actionTests",
    )) {
      const live = readOne(join(at, String(inputPath)));
      const what = `${kind} ${String(action)} ${String(inputPath)}`;
      const given = Object.entries(isRecord(parameters) ? parameters : {}).map(([name, value]) => [
        name,
        String(value),
      ]);
      const run = () =>
        performBuiltIn(live, String(action), { nowMs, parameters: Object.fromEntries(given) });
      judged.done += 1;
      if (typeof expectedErrorMessage === "string") {
        assert.throws(
          run,
          (error) => error instanceof CapstanError && error.message.includes(expectedErrorMessage),
          what,
        );
        continue;
      }
      const impacted = run() ?? [];
      const expected = expectedIn(join(at, String(expectedOutputPath)));
      assert.equal(impacted.length, expected.length, what);
      for (const [index, { operation, object }] of impacted.entries()) {
        const isMade = operation === "create";
        const [actual, wanted] = [comparable(object, isMade), comparable(expected[index], isMade)];
        assert.ok(isRecord(actual) && isRecord(wanted), what);
        // The cases say what must be there, and nothing of what may be, as Argo CD's own test reads them.
        assert.partialDeepStrictEqual(actual, wanted, what);
      }
    }
  }
  assert.deepEqual(lacking, notBuiltIn);
  assert.ok(judged.offered > 50 && judged.done > 60, JSON.stringify(judged));
});

const deployment: Manifest = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "team" },
  spec: { replicas: 1 },
};

test("a scale takes whole numbers alone, and a kind without actions has none", () => {
  for (const replicas of ["", "-1", "1.5", "1e3", "100001", "x"])
    assert.throws(
      () => performBuiltIn(deployment, "scale", { nowMs, parameters: { replicas } }),
      CapstanError,
      replicas,
    );
  const [scaled] = performBuiltIn(deployment, "scale", { nowMs, parameters: { replicas: "3" } }) ?? [];
  assert.deepEqual(scaled, { operation: "patch", object: { ...deployment, spec: { replicas: 3 } } });
  assert.equal(performBuiltIn(deployment, "explode", { nowMs, parameters: {} }), undefined);
  assert.deepEqual(offeredActions({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }), []);
});
