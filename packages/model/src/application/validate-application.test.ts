import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError } from "../failures/capstan-error.ts";
import type { FieldProblem } from "../failures/failure.ts";
import { isApplication, readApplication, validateApplication } from "./validate-application.ts";

type Fields = { [field: string]: unknown };

const source = { repoURL: "https://example.com/shop", path: "deploy" };
const app = (spec: Fields, extra: Fields = {}): unknown => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd" },
  spec: { project: "default", source, destination: { name: "in-cluster" }, ...spec },
  ...extra,
});

const lines = (problems: FieldProblem[]): string[] =>
  problems.map(({ field, severity, message }) => `${severity} ${field}: ${message}`);

test("a plain application has no problems", () => {
  assert.deepEqual(validateApplication(app({})), []);
});

const errors: [string, unknown, RegExp][] = [
  [
    "both server and name",
    app({ destination: { server: "https://k", name: "k" } }),
    /error spec\.destination: has both server/,
  ],
  ["neither server nor name", app({ destination: {} }), /error spec\.destination: needs server/],
  ["no source", app({ source: undefined }), /error spec\.source: is missing/],
  ["neither path nor chart", app({ source: { repoURL: "x" } }), /error spec\.source: needs path/],
  [
    "a chart without a version",
    app({ source: { repoURL: "x", chart: "c" } }),
    /spec\.source\.targetRevision: a chart needs/,
  ],
  [
    "two tools",
    app({ source: { ...source, helm: {}, kustomize: {} } }),
    /spec\.source: is configured for several tools: helm, kustomize/,
  ],
  ["an absolute path", app({ source: { ...source, path: "/etc" } }), /spec\.source\.path: must be relative/],
  [
    "a path that leads outside",
    app({ source: { ...source, path: "a/../../b" } }),
    /spec\.source\.path: "a\/\.\.\/\.\.\/b" leads out/,
  ],
  [
    "a parameter without a name",
    app({ source: { ...source, helm: { parameters: [{ value: "1" }] } } }),
    /spec\.source\.helm\.parameters\[0\]\.name: is empty/,
  ],
  [
    "a number where text is needed",
    app({ source: { ...source, helm: { parameters: [{ name: "a", value: 1 }] } } }),
    /spec\.source\.helm\.parameters\[0\]\.value: must be text, not 1; put it in quotes: "1"/,
  ],
  [
    "a Helm that does not exist",
    app({ source: { ...source, helm: { version: "v2" } } }),
    /helm\.version: "v2" is none of v3, v4/,
  ],
  [
    "a ref with a sign",
    app({ source: undefined, sources: [{ repoURL: "x", ref: "a/b" }] }),
    /spec\.sources\[0\]\.ref: "a\/b" may hold only/,
  ],
  [
    "two sources of one name",
    app({
      source: undefined,
      sources: [
        { ...source, ref: "a" },
        { ...source, ref: "a" },
      ],
    }),
    /spec\.sources\[1\]\.ref: "a" is used/,
  ],
  [
    "a chart with a ref",
    app({ source: undefined, sources: [{ repoURL: "x", chart: "c", targetRevision: "1", ref: "a" }] }),
    /spec\.sources\[0\]\.ref: a chart cannot be referred to/,
  ],
  [
    "a source without anything",
    app({ source: undefined, sources: [{ repoURL: "x" }] }),
    /spec\.sources\[0\]: needs path, chart or ref/,
  ],
  [
    "a pointer without a slash",
    app({ ignoreDifferences: [{ kind: "A", jsonPointers: ["spec"] }] }),
    /spec\.ignoreDifferences\[0\]\.jsonPointers\[0\]: "spec" must begin with/,
  ],
  [
    "a duration that is none",
    app({ syncPolicy: { retry: { backoff: { duration: "soon" } } } }),
    /spec\.syncPolicy\.retry\.backoff\.duration: "soon" is no duration/,
  ],
  [
    "a negative history",
    app({ revisionHistoryLimit: -1 }),
    /spec\.revisionHistoryLimit: must not be negative/,
  ],
  ["no spec", app({}, { spec: undefined }), /error spec: is required but missing/],
  ["no name", app({}, { metadata: {} }), /error metadata\.name: is required/],
  [
    "another version",
    app({}, { apiVersion: "argoproj.io/v1" }),
    /error apiVersion: must be argoproj\.io\/v1alpha1/,
  ],
  [
    "another kind",
    app({}, { kind: "Aplication" }),
    /error kind: "Aplication" is none of Application; did you mean Application\?/,
  ],
  [
    "a list where an object is needed",
    app({ syncPolicy: [] }),
    /error spec\.syncPolicy: must be an object, not a list/,
  ],
  ["not even an object", "shop", /error : must be an object, not text/],
];
for (const [fact, value, message] of errors) {
  test(`an error: ${fact}`, () => {
    const problems = validateApplication(value);
    assert.match(lines(problems).join("\n"), message);
    assert.ok(problems.some(({ severity }) => severity === "error"));
  });
}

const warnings: [string, unknown, RegExp][] = [
  [
    "a field with a typing error",
    app({ syncPolcy: {} }),
    /warning spec\.syncPolcy: is not a field.*did you mean syncPolicy\?/,
  ],
  [
    "an option with a typing error",
    app({ syncPolicy: { syncOptions: ["CreateNamspace=true"] } }),
    /syncOptions\[0\]: "CreateNamspace=true" is no option.*did you mean CreateNamespace\?/,
  ],
  [
    "an option with another value",
    app({ syncPolicy: { syncOptions: ["Replace=True"] } }),
    /"Replace=True" is no option and has no effect; write Replace=true or Replace=false/,
  ],
  [
    "metadata for a namespace that is not created",
    app({ syncPolicy: { managedNamespaceMetadata: {} } }),
    /managedNamespaceMetadata: has no effect without/,
  ],
  ["source beside sources", app({ sources: [source] }), /spec\.source: has no effect beside sources/],
  [
    "a rule that ignores nothing",
    app({ ignoreDifferences: [{ kind: "A" }] }),
    /spec\.ignoreDifferences\[0\]: ignores nothing/,
  ],
  [
    "a status that another version wrote",
    app({}, { status: { health: { status: "Sleepy" } } }),
    /status\.health\.status: "Sleepy" is none of/,
  ],
];
for (const [fact, value, message] of warnings) {
  test(`a warning: ${fact}`, () => {
    const problems = validateApplication(value);
    assert.match(lines(problems).join("\n"), message);
    assert.ok(
      problems.every(({ severity }) => severity === "warning"),
      lines(problems).join("\n"),
    );
  });
}

test("options that name their default are fine", () => {
  assert.deepEqual(
    validateApplication(app({ syncPolicy: { syncOptions: ["CreateNamespace=false", "Validate=true"] } })),
    [],
  );
});

test("null is absent", () => {
  assert.deepEqual(validateApplication(app({ syncPolicy: null, info: null })), []);
});

test("what has the shape can be read, unknown fields included", () => {
  const value = app({ future: { a: 1 } });
  assert.ok(isApplication(value));
  assert.deepEqual(readApplication(value), value);
});

test("what has not is refused with every field that is wrong", () => {
  assert.throws(
    () => readApplication(app({ project: 1, destination: [] })),
    (error) =>
      error instanceof CapstanError &&
      /Application shop is invalid: spec\.project: must be text.*; spec\.destination: must be an object/.test(
        error.message,
      ),
  );
});
