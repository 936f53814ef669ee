import assert from "node:assert/strict";
import { test } from "node:test";
import { editYaml } from "./edit-text.ts";

const values = `# values of the shop
web:
    image:   # kept
        name: shop/web  # as well
        tag: 1.0.0 # the tag


    list:
    - {name: a, tag: 'x'}
other: [1,2]
`;

test("a scalar changes in its place and nothing else does", () => {
  const edited = editYaml("values.yaml", values, (document) => {
    assert.ok(document.setText(["web", "image", "tag"], "1.1.0"));
    assert.ok(document.setText(["web", "list", 0, "tag"], "y"));
  });
  assert.equal(edited, values.replace("1.0.0", "1.1.0").replace("'x'", "'y'"));
  const same = (document: Parameters<Parameters<typeof editYaml>[2]>[0]) =>
    void document.setText(["web", "image", "tag"], "1.0.0");
  assert.equal(editYaml("values.yaml", values, same), values);
});

test("what would be read as a number, a time or more than a text is quoted", () => {
  for (const value of [
    "1.10",
    "1",
    "true",
    "2026-01-02",
    "0x1",
    "1e3",
    "a: b",
    "# x",
    "x\ny: z",
    '"',
    "no",
    "~",
  ]) {
    const edited = editYaml("v.yaml", "tag: old # x\n", (document) => void document.setText(["tag"], value));
    const again: (string | undefined)[] = [];
    editYaml("v.yaml", edited, (document) => void again.push(document.text(["tag"])));
    assert.match(edited, /^tag: "/, value);
    assert.deepEqual(edited.split("\n").length, 2, value);
  }
});

test("what is missing is added, and the rest stays with its comments and indent", () => {
  const edited = editYaml("values.yaml", values, (document) => {
    assert.ok(document.setText(["web", "image", "digest"], "sha256:aa"));
    assert.ok(document.setText(["new", "tag"], "2"));
    assert.equal(document.setText(["web", "image", "name", "x"], "2"), false);
    assert.equal(document.setText(["web"], "2"), false);
    assert.equal(document.setText(["web", "list", 7, "x"], "2"), false);
  });
  assert.match(edited, /^# values of the shop\nweb:\n {4}image:\n/);
  assert.match(edited, /\n {8}digest: sha256:aa\n/);
  assert.match(edited, /# as well\n/);
  assert.match(edited, /\nnew:\n {4}tag: "2"\n$/);
});

test("lists grow, fields go, and an empty file becomes one", () => {
  const made = editYaml("k.yaml", "", (document) => {
    assert.ok(document.append(["kustomize", "images"], "shop/web:1"));
    assert.ok(document.append(["helm", "parameters"], { name: "tag", value: "1.10" }));
  });
  assert.equal(
    made,
    'kustomize:\n  images:\n    - shop/web:1\nhelm:\n  parameters:\n    - name: tag\n      value: "1.10"\n',
  );
  const less = editYaml("k.yaml", made, (document) => document.remove(["helm", "parameters", 0, "value"]));
  assert.doesNotMatch(less, /value/);
});

test("an alias stands for its anchor; several documents and what is no YAML are refused", () => {
  const edited = editYaml(
    "v.yaml",
    "a: &tag 1.0.0\nb: *tag\n",
    (document) => void document.setText(["b"], "1.1.0"),
  );
  assert.equal(edited, "a: &tag 1.1.0\nb: *tag\n");
  for (const bad of ["a: 1\n---\nb: 2\n", "a: [1\n", "a: 1\na: 2\n"])
    assert.throws(
      () => editYaml("v.yaml", bad, (document) => void document.setText(["a"], "x")),
      /v\.yaml/,
      bad,
    );
});
