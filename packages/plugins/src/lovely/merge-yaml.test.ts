import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "@capstan/model";
import { editValue, editYaml } from "./merge-yaml.ts";

const names = { mergeName: "MERGE", patchName: "PATCH" };
const merged = (base: string, merge: string) =>
  editValue(parseYaml(base, { file: "base" }), { ...names, merge, patch: "" });
const patched = (base: string, patch: string) =>
  editValue(parseYaml(base, { file: "base" }), { ...names, merge: "", patch });

test("maps are merged, lists and scalars replaced, null takes away", () => {
  assert.deepEqual(merged("a: {b: 1, c: 2}\nl: [1, 2]\nx: 1\n", "a: {c: 3, d: 4}\nl: [9]\nx: null\n"), {
    a: { b: 1, c: 3, d: 4 },
    l: [9],
  });
  assert.deepEqual(merged("a: 1\n", "a: {b: 1}\n"), { a: { b: 1 } });
  assert.deepEqual(merged("l: [{name: a, x: 1}]\n", "l: [{name: a, z: 2}]\n"), { l: [{ name: "a", z: 2 }] });
});

test("$patch deletes or replaces a map", () => {
  assert.deepEqual(merged("a: {b: 1}\nc: 2\n", "a: {$patch: delete}\n"), { c: 2 });
  assert.deepEqual(merged("a: {b: 1, c: 2}\n", "a: {$patch: replace, d: 3}\n"), { a: { d: 3 } });
});

test("generators of a kustomization are told apart by name, its other lists are replaced", () => {
  const base = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [a.yaml]
secretGenerator: [{name: one, literals: [a=1]}, {name: two}]
`;
  const over =
    "resources: [b.yaml]\nsecretGenerator: [{name: one, type: Opaque}, {name: two, $patch: delete}, {name: three}]\n";
  assert.deepEqual(merged(base, over), {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: ["b.yaml"],
    secretGenerator: [{ name: "one", literals: ["a=1"], type: "Opaque" }, { name: "three" }],
  });
});

test("a patch does each operation, on what was merged before", () => {
  const base = "a: {b: 1}\nl: [x, z]\n'k/~': 1\n";
  const patch = `- {op: test, path: /a/b, value: 1}
- {op: add, path: /l/1, value: between}
- {op: add, path: /l/-, value: last}
- {op: remove, path: /l/-1}
- {op: replace, path: /k~1~0, value: 2}
- {op: copy, from: /a, path: /c}
- {op: move, from: /a/b, path: /moved}
`;
  assert.deepEqual(patched(base, patch), {
    ...{ a: {}, c: { b: 1 }, l: ["x", "between", "z"], moved: 1 },
    "k/~": 2,
  });
  const both = editValue(
    { a: 1 },
    { ...names, merge: "a: 2\n", patch: '[{"op":"test","path":"/a","value":2}]' },
  );
  assert.deepEqual(both, { a: 2 });
});

test("a patch that cannot be done is said with its setting, operation and path", () => {
  const wrong: [string, RegExp][] = [
    ["- {op: remove, path: /gone}", /PATCH: operation 1: \/gone does not exist/],
    [
      "- {op: test, path: /a, value: 1}\n- {op: test, path: /a, value: 2}",
      /PATCH: operation 2: \/a has another value/,
    ],
    ["- {op: add, path: a}", /operation 1: its path must begin with "\/"/],
    ["- {op: spin, path: /a}", /"spin" is none of add, remove/],
    ["- {op: add, path: /l/7, value: 1}", /\/l\/7 is beyond the end of the list/],
    ["- {op: add, path: /l/x, value: 1}", /"x" is no index of a list/],
    ["- {op: add, path: /a/b, value: 1}", /\/a\/b does not exist/],
    ["- no operation", /operation 1: it is no object/],
    ["op: add", /PATCH: it must be a list of operations/],
  ];
  for (const [patch, message] of wrong) assert.throws(() => patched("a: 1\nl: [1]\n", patch), message);
});

test("only the first document of a file is edited", () => {
  const text = editYaml("a: 1\n---\na: 1\n", { ...names, merge: "a: 2\n", patch: "" }, "helmfile.yaml");
  assert.equal(text, "a: 2\n---\na: 1\n");
  assert.throws(
    () => editYaml("a: [", { ...names, merge: "a: 2\n", patch: "" }, "app/values.yaml"),
    /app\/values\.yaml/,
  );
});
