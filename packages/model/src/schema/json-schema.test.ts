import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { Ajv } from "ajv";
import { fileSchema, type SchemaName, schemaNames } from "../file-schemas.ts";
import { parseYamlDocuments } from "../manifest/yaml.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");

function problemsOf(name: SchemaName, value: unknown): string[] {
  const ajv = new Ajv({ strictTypes: false, allErrors: true, formats: { "date-time": true } });
  const validate = ajv.compile(fileSchema(name));
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const names: Readonly<Record<string, SchemaName>> = {
  Application: "application",
  AppProject: "app-project",
  ApplicationSet: "application-set",
};
const samples = parseYamlDocuments(readFileSync(join(root, "examples", "applications.yaml"), "utf8"));
for (const { value, document } of samples)
  test(`document ${document} of examples/applications.yaml is as its schema says`, () => {
    const name = isRecord(value) ? names[String(value.kind)] : undefined;
    assert.ok(name);
    assert.deepEqual(problemsOf(name, value), []);
  });

test("each is a schema by the rules of its draft", () => {
  for (const name of schemaNames)
    assert.ok(
      new Ajv({ strictTypes: false, formats: { "date-time": true } }).compile(fileSchema(name)),
      name,
    );
});

const plugin = {
  kind: "ConfigManagementPlugin",
  metadata: { name: "a" },
  spec: { generate: { command: ["a"] } },
};
const stages = [{ plugin: "helm" }];

const wrong: readonly [string, SchemaName, unknown, RegExp][] = [
  [
    "a field that nobody knows",
    "plugin",
    { ...plugin, spec: { ...plugin.spec, inputz: {} } },
    /spec .*additional properties.*"inputz"/,
  ],
  ["a kind that is another", "plugin", { ...plugin, kind: "Plugin" }, /\/kind must be equal to one of/],
  [
    "a stage without a plugin",
    "pipeline",
    { apiVersion: "capstan.dev/v1alpha1", kind: "Pipeline", metadata: { name: "a" }, spec: { stages: [{}] } },
    /stages\/0 .*"plugin"/,
  ],
  [
    "a misspelt apiVersion",
    "pipeline",
    { apiversion: "capstan.dev/v1alpha1", kind: "Pipeline", metadata: { name: "a" }, spec: { stages } },
    /additional properties.*"apiversion"/,
  ],
  [
    "a typing error in a test's application",
    "test-application",
    { kind: "Application", spec: { sorce: {} } },
    /"sorce"/,
  ],
];
for (const [what, name, value, problem] of wrong)
  test(`${what} is marked`, () => {
    assert.match(problemsOf(name, value).join("\n"), problem);
  });

test("what a test's application may leave out is no problem", () => {
  const application = { kind: "Application", spec: { source: { plugin: { parameters: [{ name: "a" }] } } } };
  assert.deepEqual(problemsOf("test-application", application), []);
  assert.notDeepEqual(problemsOf("application", application), []);
});
