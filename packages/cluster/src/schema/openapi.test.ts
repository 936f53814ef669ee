import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../types.ts";
import { isObject, listAt, objectAt, textAt, valueAt } from "./json.ts";
import { openapiV2, openapiV3, openapiV3Index } from "./openapi.ts";

const crd: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A widget.",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { "x-kubernetes-int-or-string": true },
                  free: { type: "object", nullable: true },
                },
              },
            },
          },
        },
      },
      { name: "v1alpha1", served: false, storage: false },
    ],
  },
};

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

describe("OpenAPI v3", () => {
  it("lists every served group version with a hash that follows the CRDs", () => {
    const paths = objectAt(openapiV3Index([crd]), "paths") ?? {};
    assert.ok(paths["apis/apps/v1"] && paths["api/v1"] && paths["apis/example.com/v1"]);
    assert.equal(paths["apis/example.com/v1alpha1"], undefined);
    const other = {
      ...crd,
      spec: { ...objectAt(crd, "spec"), scope: "Cluster", names: { kind: "Other", plural: "others" } },
    };
    const changed = objectAt(openapiV3Index([other]), "paths") ?? {};
    assert.notDeepEqual(changed["apis/example.com/v1"], paths["apis/example.com/v1"]);
    assert.deepEqual(changed["apis/apps/v1"], paths["apis/apps/v1"]);
  });

  it("has each type that it refers to", () => {
    for (const name of ["v1", "apps/v1", "autoscaling/v2", "example.com/v1"]) {
      const document = openapiV3(name, [crd]);
      for (const ref of references(document))
        assert.ok(valueAt(document, ...ref.slice(2).split("/")), `${name}: ${ref}`);
    }
  });

  it("says what kubectl explain and validation look for", () => {
    const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    const patch = objectAt(openapiV3("apps/v1", []), "paths", path, "patch");
    assert.deepEqual(patch?.["x-kubernetes-group-version-kind"], {
      group: "apps",
      version: "v1",
      kind: "Deployment",
    });
    assert.ok(
      listAt(patch, "parameters").some((parameter) => textAt(parameter, "name") === "fieldValidation"),
    );
    const schema = ["components", "schemas", "io.k8s.api.apps.v1.DeploymentSpec", "properties", "replicas"];
    assert.match(textAt(openapiV3("apps/v1", []), ...schema, "description"), /^Number of desired pods/);
  });

  it("offers no strategic merge patch for custom kinds: kubectl apply would send it", () => {
    const mediaTypes = (document: unknown, path: string) =>
      Object.keys(objectAt(document, "paths", path, "patch", "requestBody", "content") ?? {});
    const widget = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}";
    const deployment = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    const common = [
      "application/apply-patch+yaml",
      "application/json-patch+json",
      "application/merge-patch+json",
    ];
    assert.deepEqual(mediaTypes(openapiV3("example.com/v1", [crd]), widget), common);
    const strategic = "application/strategic-merge-patch+json";
    assert.deepEqual(mediaTypes(openapiV3("apps/v1", []), deployment), [...common, strategic]);
  });

  it("describes custom kinds with their metadata and status endpoint", () => {
    const document = openapiV3("example.com/v1", [crd]);
    const widget = ["components", "schemas", "com.example.v1.Widget"];
    assert.equal(textAt(document, ...widget, "description"), "A widget.");
    assert.ok(valueAt(document, ...widget, "properties", "metadata"));
    assert.ok(
      valueAt(
        document,
        "paths",
        "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status",
        "patch",
      ),
    );
  });

  it("knows nothing of what is not served", () => {
    assert.equal(openapiV3("example.com/v1", []), undefined);
    assert.equal(openapiV3("example.com/v1alpha1", [crd]), undefined);
  });
});

describe("OpenAPI v2", () => {
  it("has each type that it refers to, built-in and custom", () => {
    const document = openapiV2([crd]);
    for (const ref of references(document)) assert.ok(valueAt(document, ...ref.slice(2).split("/")), ref);
    assert.ok(valueAt(document, "definitions", "com.example.v1.WidgetList"));
  });

  it("leaves out what v2 cannot say", () => {
    const spec = ["definitions", "com.example.v1.Widget", "properties", "spec", "properties"];
    const document = openapiV2([crd]);
    assert.deepEqual(valueAt(document, ...spec, "free"), { type: "object" });
    assert.equal(valueAt(document, ...spec, "size", "type"), undefined);
    const quantity = ["definitions", "io.k8s.apimachinery.pkg.api.resource.Quantity", "type"];
    assert.equal(valueAt(document, ...quantity), "string");
  });
});
