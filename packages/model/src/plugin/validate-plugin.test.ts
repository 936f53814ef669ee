import assert from "node:assert/strict";
import { test } from "node:test";
import { validateConfigManagementPlugin, validatePipeline } from "./validate-plugin.ts";

type Fields = { [field: string]: unknown };

const plugin = (spec: Fields): unknown => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "ConfigManagementPlugin",
  metadata: { name: "cdk8s" },
  spec,
});
const generate = { command: ["cdk8s", "synth"] };
const pipeline = (...stages: Fields[]): unknown => ({
  apiVersion: "capstan.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "chain" },
  spec: { stages },
});

const facts: [string, unknown, RegExp | undefined][] = [
  ["a plugin that generates", plugin({ generate }), undefined],
  ["a plugin that transforms", plugin({ transform: generate }), undefined],
  ["a plugin that does nothing", plugin({}), /spec\.generate\.command: is missing/],
  [
    "a collection that does not exist",
    plugin({ generate, parameters: { static: [{ name: "a", collectionType: "set" }] } }),
    /collectionType: "set" is none of/,
  ],
  [
    "two stars in a file name",
    plugin({ generate, discover: { fileName: "**/x" } }),
    /\*\* means no more than \*/,
  ],
  ["no concurrency", plugin({ generate, concurrency: 0 }), /spec\.concurrency: must be at least 1, not 0/],
  ["inputs by globs", plugin({ generate, inputs: { globs: ["**/*.k"] } }), undefined],
  [
    "inputs both named and observed",
    plugin({ generate, inputs: { observe: true, paths: ["/"] } }),
    /spec\.inputs/,
  ],
  ["inputs that say nothing", plugin({ generate, inputs: {} }), /spec\.inputs/],
  [
    "no network without a sandbox",
    plugin({ generate, network: false, isolation: "none" }),
    /spec\.isolation/,
  ],
  ["a pipeline", pipeline({ plugin: "helm" }, { plugin: "sops" }), undefined],
  ["a pipeline without stages", pipeline(), /spec\.stages: is empty/],
  [
    "two stages of one name",
    pipeline({ plugin: "helm" }, { plugin: "helm" }),
    /spec\.stages\[1\]\.name: "helm" is another stage's/,
  ],
  [
    "input of the first stage",
    pipeline({ plugin: "kustomize", input: "all.yaml" }),
    /spec\.stages\[0\]\.input: is set on the first stage/,
  ],
  [
    "settings that helm does not have",
    pipeline({ plugin: "helm", config: { valueFiles: "values.yaml" } }),
    /spec\.stages\[0\]\.config\.valueFiles: must be a list/,
  ],
  [
    "settings of a plugin that is not built in",
    pipeline({ plugin: "cdk8s", config: { a: 1 } }),
    /spec\.stages\[0\]\.config: is for helm, kustomize, directory/,
  ],
  [
    "parameters of kustomize",
    pipeline({ plugin: "kustomize", parameters: [{ name: "a", string: "1" }] }),
    /spec\.stages\[0\]\.parameters: kustomize takes none/,
  ],
  [
    "a stage that leaves the directory",
    pipeline({ plugin: "helm", path: "../other" }),
    /spec\.stages\[0\]\.path: "\.\.\/other" must stay within/,
  ],
  [
    "two stages of one plugin, named",
    pipeline({ plugin: "helm" }, { plugin: "helm", name: "again" }),
    undefined,
  ],
];
for (const [fact, value, message] of facts) {
  test(fact, () => {
    const check = JSON.stringify(value).includes("Pipeline")
      ? validatePipeline
      : validateConfigManagementPlugin;
    const text = check(value)
      .map(({ field, message: said }) => `${field}: ${said}`)
      .join("\n");
    if (message === undefined) assert.equal(text, "");
    else assert.match(text, message);
  });
}
