import assert from "node:assert/strict";
import { test } from "node:test";
import { editValue, editYaml } from "./merge-yaml.ts";

const names = { mergeName: "MERGE", patchName: "PATCH" };
const merged = (base: string, merge: string) => editValue(base, { ...names, merge, patch: "" }, "base");
const patched = (base: string, patch: string) => editValue(base, { ...names, merge: "", patch }, "base");

test("maps are merged, lists and scalars replaced, null takes away", () => {
  assert.deepEqual(merged("a: {b: 1, c: 2}\nl: [1, 2]\nx: 1\n", "a: {c: 3, d: 4}\nl: [9]\nx: null\n"), {
    a: { b: 1, c: 3, d: 4 },
    l: [9],
  });
  assert.deepEqual(merged("a: 1\n", "a: {b: 1}\n"), { a: { b: 1 } });
  assert.deepEqual(merged("l: [{name: a, x: 1}]\n", "l: [{name: a, z: 2}]\n"), { l: [{ name: "a", z: 2 }] });
});

test("what stood in quotes stays text, with the digits that it is given", () => {
  const base = 'image: {tag: "1.10", pull: Always}\nport: 1\nflag: \'x\'\ngone: "1"\nlist: ["1"]\n';
  const over = "image: {tag: 1.20, pull: 7}\nport: '2'\nflag: off\ngone: null\nlist: [2]\nnew: 3.0\n";
  assert.deepEqual(merged(base, over), {
    ...{ image: { tag: "1.20", pull: 7 }, port: "2", flag: "off", list: [2], new: 3 },
  });
});

test("values with anchors and merge keys are merged by what they stand for", () => {
  const base = "a: &x {p: 1, q: '2'}\nb: *x\nc:\n  <<: *x\n  r: 3\n";
  assert.deepEqual(merged(base, "b: {q: 5}\nc: {p: 9}\n"), {
    ...{ a: { p: 1, q: "2" }, b: { p: 1, q: "5" }, c: { p: 9, q: "2", r: 3 } },
  });
});

test("only a map can be merged, and only into one", () => {
  assert.throws(() => merged("a: 1\n", "text"), /MERGE: it must be a map/);
  assert.throws(() => merged("[1]", "a: 1"), /MERGE: base is no map/);
  assert.deepEqual(merged("a: 1\n", "# nothing\n"), { a: 1 });
  assert.deepEqual(merged("", "a: 1\n"), { a: 1 });
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
  assert.deepEqual(
    merged(`secretGenerator: [{name: one}]\n`, `${base.slice(0, base.indexOf("resources"))}${over}`),
    {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      resources: ["b.yaml"],
      secretGenerator: [{ name: "one", type: "Opaque" }, { name: "three" }],
    },
  );
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
    "a: 1\n",
    { ...names, merge: "a: 2\n", patch: '[{"op":"test","path":"/a","value":2}]' },
    "base",
  );
  assert.deepEqual(both, { a: 2 });
});

test("a key that a map lacks is null to a patch, as to lovely's", () => {
  const base = "a: {b: 1, c: 2}\nl: [1, 2, 3]\n";
  const results: [string, object][] = [
    ["- {op: replace, path: /a/new, value: x}", { a: { b: 1, c: 2, new: "x" } }],
    ["- {op: test, path: /gone, value: null}\n- {op: test, path: /gone}", {}],
    ["- {op: copy, from: /gone, path: /copied}\n- {op: add, path: /bare}", { copied: null, bare: null }],
    ["- {op: test, path: /a, value: {c: 2.0, b: 1}}", {}],
    ['- {op: replace, path: "", value: {only: 1}}', { a: undefined, l: undefined, only: 1 }],
    ["", {}],
  ];
  for (const [patch, changed] of results) {
    const expected = { a: { b: 1, c: 2 }, l: [1, 2, 3], ...changed };
    assert.deepEqual(patched(base, patch || "null"), JSON.parse(JSON.stringify(expected)), patch);
  }
});

test("a negative index of a patch counts from the end, and adds behind the last", () => {
  const changed = (operation: string) => patched("[1, 2, 3]", `- {${operation}}`);
  assert.deepEqual(changed("op: add, path: /-1, value: 9"), [1, 2, 3, 9]);
  assert.deepEqual(changed("op: add, path: /-4, value: 9"), [9, 1, 2, 3]);
  assert.deepEqual(changed("op: replace, path: /-1, value: 9"), [1, 2, 9]);
  assert.deepEqual(changed("op: remove, path: /-3"), [2, 3]);
  assert.deepEqual(changed("op: add, path: /+1, value: 9"), [1, 9, 2, 3]);
  assert.throws(() => changed("op: add, path: /-5, value: 9"), /\/-5 is beyond the end/);
  for (const op of ["remove", "replace", "test"])
    assert.throws(() => changed(`op: ${op}, path: /-4, value: 9`), /\/-4 does not exist/);
});

test("a patch that cannot be done is said with its setting, operation and path", () => {
  const wrong: [string, RegExp][] = [
    ["- {op: remove, path: /gone}", /PATCH: operation 1: \/gone does not exist/],
    [
      "- {op: test, path: /a, value: 1}\n- {op: test, path: /a, value: 2}",
      /PATCH: operation 2: \/a has another value/,
    ],
    ['- {op: remove, path: ""}', /the whole document cannot be taken away/],
    ["- {op: replace, path: /gone/x, value: 1}", /\/gone\/x does not exist/],
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
