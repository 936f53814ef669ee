import assert from "node:assert/strict";
import { test } from "node:test";
import { readApplication } from "@capstan/model";
import { applicationFlags } from "./application-values.ts";

const app = readApplication({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web" },
  spec: { project: "default", source: { repoURL: "r", path: "." }, destination: { name: "in-cluster" } },
});
const own = { sensitive: false, parameters: [], env: [] };

test("a parameter completes up to its value, and one with choices with each of them", () => {
  const announced = [
    { name: "size", title: "Size", string: "small", choices: ["small", "large"] },
    { name: "hosts", collectionType: "array" },
    { name: "labels", collectionType: "map" },
    { name: "note", string: "none" },
  ];
  const stage = { ...own, name: "names", plugin: "names", announced };
  const descriptions = [{ plugin: "names", sourceType: "Plugin", stages: [stage] }];
  const candidates = applicationFlags["plugin-parameter"]?.("app set", { app, descriptions });
  assert.deepEqual(candidates, [
    { value: "size=small", help: "Size" },
    { value: "size=large", help: "Size" },
    { value: "hosts[]=", help: "" },
    { value: "labels[", help: "" },
    { value: "note=", help: "none" },
  ]);
});
