import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { load } from "js-yaml";
import { prepareForWrite } from "../objects/prepare.ts";
import { validateObject } from "../objects/validate-object.ts";
import { Registry } from "../registry/registry.ts";
import type { Served } from "../registry/served.ts";
import { decodeProblems } from "../schema/decode.ts";
import { withDefaults } from "../schema/defaults.ts";
import { isKubeObject, isObject, type JsonObject, listAt, textAt } from "../schema/json.ts";
import { jsonPatch } from "../schema/patch.ts";
import { pruneUnknown } from "../schema/prune.ts";
import type { KubeObject } from "../types.ts";
import { crdProblems } from "./apiextensions/crd-problems.ts";
import { builtinKinds } from "./builtin-kinds.ts";

/**
 * Each testdata/invalid/*.yaml has one valid object and changes of it; the .json beside it holds what a real
 * kube-apiserver v1.36.3 said to each (tools/record-kube-fixtures.ts).
 */
const folder = join(import.meta.dirname, "testdata/invalid");

const registry = new Registry(builtinKinds, []);

function kindOf(resource: string, apiVersion: string): Served {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return registry.find(group, version, resource) ?? assert.fail();
}

function changed(base: unknown, change: JsonObject): KubeObject {
  const operations = Object.entries(change).map(([path, value]) =>
    value === null ? { op: "remove", path } : { op: "add", path, value },
  );
  const object = jsonPatch(base, operations);
  assert.ok(isKubeObject(object));
  return object;
}

function written(kind: Served, object: KubeObject, previous?: KubeObject): KubeObject {
  const named = { ...object, metadata: { ...object.metadata, uid: "UID" } };
  const filled = withDefaults(kind.schema(), kind.defaults, pruneUnknown(kind.schema(), named).object);
  return prepareForWrite(kind, filled, previous);
}

/** The numbers of Go's structs in a message, diffs, uids and generated names differ by nature. */
function neutral(message: string): string {
  return (
    message
      .split("\n")[0]
      ?.replace(/^((?:Invalid|Unsupported|Duplicate) value: )[[{].*[\]}](: |$)/, "$1{…}$2") ?? ""
  );
}

function verdict(kind: Served, object: KubeObject, previous?: KubeObject): unknown {
  const [undecodable] = decodeProblems(kind.schema(), kind.info, { object });
  if (undecodable) return { code: 400, message: undecodable.message };
  const final = written(kind, object, previous);
  const own = kind.info.kind === "CustomResourceDefinition" ? crdProblems(final) : [];
  const write = { schema: kind.schema(), rules: kind.rules, object: final };
  const causes = [...validateObject({ ...write, ...(previous ? { previous } : {}) }), ...own];
  if (causes.length === 0) return { ok: true };
  return { causes: causes.map(({ field, message }) => `${field}: ${neutral(message)}`).sort() };
}

function expectation(answer: JsonObject): unknown {
  if (answer.ok === true) return { ok: true };
  if (answer.code === 400) return { code: 400, message: textAt(answer, "message") };
  const causes = listAt(answer, "causes");
  return {
    causes: causes.map((cause) => `${textAt(cause, "field")}: ${neutral(textAt(cause, "message"))}`).sort(),
  };
}

/**
 * Answered by the registry (namespaces, generated names, conflicts with controllers), or true only of the recorded
 * server (no privileges, names of a CRD checked on create alone).
 */
const elsewhere = new Set([
  '{"/spec/scope":"Cluster"}',
  '{"/spec/names/kind":"Wadget"}',
  '{"/spec/names/plural":"wadgets"}',
  '{"/spec/template/spec/containers/0/securityContext":{"privileged":true,"allowPrivilegeEscalation":false}}',
  '{"/metadata/name":"this-is-a-very-long-name-for-a-job-which-will-not-fit-into-the-sixty-three"}',
  '{"/metadata/namespace":"other"}',
  '{"/metadata/generateName":"Bad_","/metadata/name":null}',
]);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
  describe(file, () => {
    const document = load(readFileSync(join(folder, file), "utf8"));
    assert.ok(isObject(document) && isKubeObject(document.base));
    const answers: Record<string, JsonObject[]> = JSON.parse(
      readFileSync(join(folder, file.replace(".yaml", ".json")), "utf8"),
    );
    const kind = kindOf(textAt(document, "resource"), document.base.apiVersion);
    const stored = written(kind, document.base);
    for (const verb of ["create", "update"] as const)
      for (const [index, change] of listAt(document, verb).entries()) {
        const answer = answers[verb]?.[index];
        if (!isObject(change) || !answer || elsewhere.has(JSON.stringify(change))) continue;
        it(`${verb} with ${JSON.stringify(change)}`, () => {
          const base = verb === "update" ? stored : document.base;
          const found = verdict(kind, changed(base, change), verb === "update" ? stored : undefined);
          assert.deepEqual(found, expectation(answer));
        });
      }
  });
}
