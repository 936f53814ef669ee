import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { crds } from "./crds.ts";
import type { Manifest } from "./manifest.ts";

type Fields = { [field: string]: unknown };

/** Calls back for every schema in a schema, with its path. */
function walk(schema: unknown, path: string, visit: (schema: Fields, path: string) => void): void {
  if (!isRecord(schema)) return;
  visit(schema, path);
  for (const [name, below] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    walk(below, `${path}.${name}`, visit);
  }
  walk(schema.items, `${path}[]`, visit);
  walk(schema.additionalProperties, `${path}{}`, visit);
}

function rootOf(crd: Manifest): unknown {
  const { spec } = crd;
  if (!isRecord(spec) || !Array.isArray(spec.versions)) return undefined;
  const [version]: unknown[] = spec.versions;
  if (!isRecord(version) || !isRecord(version.schema)) return undefined;
  return version.schema.openAPIV3Schema;
}

for (const crd of crds()) {
  const name = crd.metadata.name ?? "";

  test(`${name} is structural: every schema has a type, and alternatives only where Kubernetes allows them`, () => {
    let count = 0;
    walk(rootOf(crd), "", (schema, path) => {
      count += 1;
      const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
      const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
      assert.ok(typeof schema.type === "string" || isIntOrString || isOpen, `${path} has no type`);
      assert.ok(schema.anyOf === undefined || isIntOrString, `${path} has alternatives`);
      assert.equal(schema.oneOf ?? schema.allOf ?? schema.not ?? schema.$ref, undefined, path);
      assert.ok(!(schema.properties && schema.additionalProperties), path);
    });
    assert.ok(count > 10);
  });

  test(`${name} keeps fields that this version does not know, at every level`, () => {
    walk(rootOf(crd), "", (schema, path) => {
      if (schema.properties === undefined) return;
      assert.equal(schema["x-kubernetes-preserve-unknown-fields"], true, path);
    });
  });

  test(`${name} is small enough for a client-side apply`, () => {
    assert.ok(JSON.stringify(crd).length < 200_000);
  });
}
