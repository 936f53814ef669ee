import assert from "node:assert/strict";
import { test } from "node:test";
import { isCapstanError } from "@capstan/model";
import { setText } from "./fields.ts";
import { scalar, text } from "./node.ts";
import { printAll, printYaml } from "./print-yaml.ts";
import { readYaml } from "./read-yaml.ts";
import { seqIndentOf } from "./seq-indent.ts";
import { fromJson, fromValue, toJson, toValue } from "./values.ts";

function again(source: string): string {
  const documents = readYaml("test.yaml", source);
  return printAll(documents.map((one) => ({ ...one, seqIndent: seqIndentOf(one.source) })));
}

/** Texts that come back as they were. */
const kept = [
  "# licence\n\n# second\n\napiVersion: v1 # beside\nkind: Foo\n",
  "a: # k\n  # above\n  b: 1\n  # below b\nc: 2\n",
  "list: # kpt-set: ${x}\n  # first\n  - a: 1 # one\n    # mid\n    b: 2\n  # second\n  - x\n  - - n1\n    - n2\n",
  "a:\n- 1\n# c\n- 2\n# d\n\n- 3\n# e\nb: 1\n",
  "a: |\n  text\n\n  more\nb: |-\n  no end\nc: |+\n  keep\n\nd: |2\n    lead\ne: >-\n  folded\n",
  'a: "q" # c\nb: \'single\'\nc: {a: 1, b: [x, "y"]}\nd: []\ne: {}\nf:\ng: ~\nh: "yes"\ni: 0x1F\n',
  "a: &x {a: 1}\nb: *x\nc: !!str 12\nd: !foo bar\n",
  "a: 1\n# foot of a\n\nb: 2\n",
  "a: 1\n---\nb: 2\n",
  "a: 1\n# end\n",
];

for (const source of kept)
  test(`comes back as it was: ${JSON.stringify(source.slice(0, 40))}`, () => {
    assert.equal(again(source), source);
  });

/** go-yaml's habits: what it writes otherwise than it was. */
const changed: [string, string][] = [
  ["a: 1\n\n\n\nb: 2\n", "a: 1\nb: 2\n"],
  ["a:   x   # c\n", "a: x # c\n"],
  ["a: plain\n  on two\nb: 'x\n  y'\n", "a: plain on two\nb: 'x y'\n"],
  ["- a: 1\n-\n  - x\n", "- a: 1\n- - x\n"],
  ["a: 1\n---\n---\n# only a comment\n", "a: 1\n"],
  ["a:\r\n  b: 1\r\n", "a:\n  b: 1\n"],
  ["base: &b\n  x: 1\nuse:\n  <<: *b\n", "base: &b\n  x: 1\nuse:\n  !!merge <<: *b\n"],
];

for (const [source, wanted] of changed)
  test(`is written as Go does: ${JSON.stringify(source.slice(0, 40))}`, () => {
    assert.equal(again(source), wanted);
  });

test("a comment below the last item of a list is no item", () => {
  const [document] = readYaml("test.yaml", "a:\n  - x\n  # below\nb: 1\n");
  assert.ok(document);
  assert.deepEqual(toJson(toValue(document.root)), { a: ["x"], b: 1 });
});

test("a changed text keeps its comment and has only the quotes that it needs", () => {
  const [document] = readYaml("test.yaml", 'a: "x" # beside\nb: y\n');
  assert.ok(document);
  setText(document.root, ["a"], "z");
  setText(document.root, ["b"], "true");
  setText(document.root, ["c", "d"], "two\nlines\n");
  const wanted = 'a: z # beside\nb: "true"\nc:\n  d: |\n    two\n    lines\n';
  assert.equal(printYaml(document, { seqIndent: "compact" }), wanted);
});

test("texts that another reader would take for something else are quoted", () => {
  const quoted = ["true", "12", "1e3", "null", "", "2020-01-01", "yes", "off", "12:30:00", "0o7", "~", ".5"];
  for (const value of quoted) assert.equal(text(value).style, "double", value);
  for (const value of ["a", "v1.2", "1.2.3", "x: y".slice(0, 1), "-a", "n1"])
    assert.equal(text(value).style, "plain", value);
  const print = (value: string): string =>
    printYaml({ root: scalar(value) }, { seqIndent: "compact" }).trimEnd();
  assert.deepEqual(["a: b", "#c", "- d", "it's", "*e", " f"].map(print), [
    "'a: b'",
    "'#c'",
    "'- d'",
    "it's",
    "'*e'",
    "' f'",
  ]);
});

test("content keeps its types, whole numbers of any size among them", () => {
  const [document] = readYaml(
    "test.yaml",
    "a: 12345678901234567890\nb: 1.5\nc: 0x10\nd: 010\ne: [true, ~]\nf: &x {k: v}\ng: *x\n",
  );
  assert.ok(document);
  const value = toValue(document.root);
  assert.deepEqual(toJson(value), {
    a: 12345678901234567890n,
    b: 1.5,
    c: 16,
    d: 8,
    e: [true, null],
    f: { k: "v" },
    g: { k: "v" },
  });
  const fresh = fromValue(fromJson({ b: 1, a: ["x", 2.5] }), { isSorted: true });
  assert.equal(printYaml({ root: fresh }, { seqIndent: "compact" }), "a:\n- x\n- 2.5\nb: 1\n");
});

test("what is no YAML is refused with file and line", () => {
  const cases: [string, number][] = [
    ["a: 1\nb: [\n", 2],
    ["a: 1\n---\nb: c: d\n", 3],
    ["a: 1\n--- b: 2\nc: 3\n", 2],
  ];
  for (const [source, line] of cases)
    assert.throws(
      () => readYaml("pod.yaml", source),
      (error) => isCapstanError(error, "YAML_INVALID") && error.message.includes(`pod.yaml: line ${line}`),
    );
});
