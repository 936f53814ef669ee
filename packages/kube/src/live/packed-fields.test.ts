import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord, parseJson, stringifyJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { recordAt } from "../read-json.ts";
import { PackedFields } from "./packed-fields.ts";

/** As a controller leaves it; large numbers, other alphabets and halves of characters too. */
const resourcesOf = (name: string) =>
  Array.from({ length: 20 }, (_, at) => ({
    ...{ version: "v1", kind: "ConfigMap", namespace: "shop", name: `${name}-${at}`, syncWave: 2n ** 60n },
    ...{ status: "Synced", health: { status: "Healthy", message: "läuft ✓ \ud800 \n" } },
  }));

function application(name: string): Manifest {
  const resources = resourcesOf(name);
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd", labels: { team: "shop" } },
    spec: { project: "default" },
    status: {
      health: { status: "Healthy" },
      resources,
      history: [{ id: 1, revision: name }],
      operationState: { syncResult: { revision: name, resources: [] }, phase: "Succeeded" },
      sync: { status: "Synced" },
    },
  };
}

const names = Array.from({ length: 70 }, (_, at) => `app-${at}`);

test("a packed Application is the same to whoever reads, lists, spreads, copies, compares or writes it", () => {
  const fields = new PackedFields();
  const packed = names.map((name) => ({ name, object: fields.pack(application(name)) }));
  for (const { name, object } of packed.toReversed()) {
    const plain = application(name);
    assert.deepEqual(object, plain);
    assert.deepEqual({ ...recordAt(object, "status") }, plain.status);
    assert.deepEqual(structuredClone(object), plain);
    assert.equal(stringifyJson(object), stringifyJson(plain));
    assert.equal(stringifyJson([object], 1), stringifyJson([plain], 1));
    assert.equal(stringifyJson(recordAt(object, "status").resources), stringifyJson(resourcesOf(name)));
  }
});

test("once there are enough of them, what is packed is held as packed text", () => {
  const fields = new PackedFields();
  const [status] = names.map((name) => recordAt(fields.pack(application(name)), "status"));
  const [held] = Object.getOwnPropertySymbols(status).map((own) => Reflect.get(status ?? {}, own));
  assert.equal(held.lines, undefined);
  const whole = stringifyJson(application("app-0")).length;
  assert.ok(held.block.text.length < whole, `${held.block.text.length} of 24 times ${whole}`);
});

test("what is no Application, or says little, is left as it is", () => {
  const fields = new PackedFields();
  const other = { ...application("app"), kind: "AppProject" };
  assert.equal(fields.pack(other), other);
  for (const status of [
    undefined,
    null,
    [],
    "x",
    {},
    { resources: "x", operationState: [] },
    { ...recordAt(application("a"), "status"), toJSON: "x" },
  ]) {
    const object = { ...application("odd"), status };
    assert.equal(fields.pack(object), object);
  }
});

test("fields in other forms than they should have come back as they were", () => {
  const long = "x".repeat(1_000);
  for (const text of [
    `{"resources":"${long}","operationState":{"syncResult":null,"phase":7}}`,
    `{"history":{"__proto__":"${long}"},"operationState":"${long}"}`,
    `{"__proto__":{"health":1},"resources":["${long}"],"operationState":{"__proto__":[],"syncResult":[1]}}`,
  ]) {
    const status = parseJson(text);
    assert.ok(isRecord(status));
    const packed = new PackedFields().pack({ ...application("odd"), status });
    assert.notEqual(packed.status, status);
    assert.equal(stringifyJson(packed.status), text);
    assert.equal(recordAt(packed, "status").health, undefined);
  }
});
