import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findJsonPath } from "@capstan/formats";
import { customRules } from "../registry/kind-rules.ts";
import { Registry } from "../registry/registry.ts";
import { listAt } from "../schema/json.ts";
import { tableFor } from "../schema/table.ts";
import { printDuration } from "../schema/tables/age.ts";
import type { KubeObject } from "../types.ts";
import { builtinKinds } from "./builtin-kinds.ts";

interface Row {
  resource: string;
  apiVersion: string;
  now: number;
  object: KubeObject;
  cells: unknown[];
  conditions?: unknown[];
}

/** Rows that a real kube-apiserver v1.36.3 printed of these objects (tools/record-kube-tables.ts). */
const rows: Row[] = JSON.parse(readFileSync(join(import.meta.dirname, "testdata/tables/rows.json"), "utf8"));

const registry = new Registry(builtinKinds, []);

function servedOf(row: Row) {
  const [version = "", group = ""] = row.apiVersion.split("/").reverse();
  return registry.find(group, version, row.resource) ?? assert.fail();
}

describe("tables of built-in kinds", () => {
  for (const row of rows)
    it(`print ${row.object.kind} ${row.object.metadata.name} as kube-apiserver does`, () => {
      const table = tableFor({
        info: servedOf(row).info,
        rules: servedOf(row).rules,
        objects: [row.object],
        includeObject: "None",
        now: row.now,
      });
      const [printed] = listAt(table, "rows");
      const expected = { cells: row.cells, ...(row.conditions ? { conditions: row.conditions } : {}) };
      assert.deepEqual(printed, { ...expected, object: null });
    });
});

const crd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    versions: [
      {
        name: "v1",
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: "All", type: "string", jsonPath: ".spec.list", priority: 1 },
          { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" },
          { name: "Label", type: "string", jsonPath: ".metadata.labels.app\\.kubernetes\\.io/name" },
        ],
      },
      { name: "v2" },
    ],
  },
};

const widget: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: {
    name: "w",
    creationTimestamp: "2025-01-01T00:00:00Z",
    labels: { "app.kubernetes.io/name": "x" },
    resourceVersion: "5",
  },
  spec: { size: 3, list: ["a", 1] },
  status: {
    conditions: [
      { type: "Other", status: "False" },
      { type: "Ready", status: "True" },
    ],
  },
};

describe("tables of custom kinds", () => {
  const info = {
    ...servedOf(rows[0] ?? assert.fail()).info,
    group: "example.com",
    kind: "Widget",
    resource: "widgets",
  };
  const now = Date.parse("2025-01-01T00:03:30Z");

  it("have the columns that the CRD declares", () => {
    const table = tableFor({ info, rules: customRules, objects: [widget], crd, includeObject: "None", now });
    assert.deepEqual(
      listAt(table, "columnDefinitions").map((column) => findJsonPath(".name", column)[0]),
      ["Name", "Size", "Ready", "All", "Since", "Label"],
    );
    assert.deepEqual(listAt(table, "rows"), [
      { cells: ["w", 3, "True", '["a",1]', "3m30s", "x"], object: null },
    ]);
    assert.deepEqual(table.metadata, { resourceVersion: "5" });
  });

  it("have an age where the CRD declares nothing", () => {
    const table = tableFor({
      info: { ...info, version: "v2" },
      rules: customRules,
      objects: [widget],
      crd,
      includeObject: "Object",
      now,
    });
    assert.deepEqual(listAt(table, "rows"), [{ cells: ["w", "3m30s"], object: widget }]);
  });

  it("leave out what is absent", () => {
    const bare = { ...widget, spec: {}, status: {}, metadata: { name: "w" } };
    const table = tableFor({ info, rules: customRules, objects: [bare], crd, includeObject: "None", now });
    assert.deepEqual(listAt(table, "rows"), [{ cells: ["w", null, null, null, null, null], object: null }]);
  });
});

describe("printDuration", () => {
  const second = 1000;
  const hour = 3600 * second;
  for (const [ms, text] of [
    [-5 * second, "<invalid>"],
    [-500, "0s"],
    [119 * second, "119s"],
    [120 * second, "2m"],
    [150 * second, "2m30s"],
    [11 * 60 * second, "11m"],
    [3 * hour, "3h"],
    [3.5 * hour, "3h30m"],
    [9 * hour, "9h"],
    [49 * hour, "2d1h"],
    [9 * 24 * hour, "9d"],
    [800 * 24 * hour, "2y70d"],
    [3000 * 24 * hour, "8y"],
  ] as const)
    it(`prints ${ms} ms as ${text}`, () => assert.equal(printDuration(ms), text));
});
