import assert from "node:assert/strict";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import fc from "fast-check";
import { CapstanError } from "../failures/capstan-error.ts";
import {
  ManifestReader,
  parseManifests,
  parsePlacedManifests,
  parseYaml,
  parseYamlDocuments,
} from "./yaml.ts";

/** What `kubectl label --local -o json` makes of a plain scalar. */
const scalars: [string, unknown][] = [
  ["y", true],
  ["Yes", true],
  ["on", true],
  ["n", false],
  ["OFF", false],
  ["yEs", "yEs"],
  ["~", null],
  ["Null", null],
  ["nULL", "nULL"],
  ["0644", 420],
  ["0o644", 420],
  ["08", 8],
  ["0999", 999],
  ["0x1F", 31],
  ["+0x1F", 31],
  ["0b101", 5],
  ["1_000", 1000],
  ["1__0", 10],
  ["-12", -12],
  ["1:30", "1:30"],
  ["190:20:30", "190:20:30"],
  ["2026-01-02", "2026-01-02"],
  ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"],
  ["1e3", 1000],
  ["1.0", 1],
  [".5", 0.5],
  ["-0.0", 0],
  ["123e4567", "123e4567"],
  ["1.2.3", "1.2.3"],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -9223372036854775808n],
  ["18446744073709551615", 18446744073709551615n],
  ["18446744073709551616", 18446744073709552000],
  ["100m", "100m"],
  ["=", "="],
];
for (const [text, value] of scalars) {
  test(`${text} reads as Go reads it`, () => assert.deepEqual(parseYaml(`a: ${text}`), { a: value }));
}

test("quoted scalars are text", () => {
  assert.deepEqual(parseYaml(`a: "yes"\nb: '0644'`), { a: "yes", b: "0644" });
});

test("keys become text: on is true, as Go has it", () => {
  assert.deepEqual(parseYaml("on: 1\n5: 2"), { true: 1, 5: 2 });
});

test("the last of duplicate keys wins", () => {
  assert.deepEqual(parseYaml("a: 1\na: 2"), { a: 2 });
});

test("anchors and merges are followed", () => {
  assert.deepEqual(parseYaml("x: &x {a: 1}\nz: {<<: *x, b: 2}"), { x: { a: 1 }, z: { a: 1, b: 2 } });
});

test("binary is decoded", () => {
  assert.deepEqual(parseYaml("a: !!binary aGVsbG8="), { a: "hello" });
});

test("a number that JSON does not know is refused", () => {
  assert.throws(() => parseYaml("a: .inf"), /\.inf has no place in a manifest/);
});

test("documents keep their number and first line; empty ones count but are left out", () => {
  const text = "# comment\n---\n# another\na: 1\n---\n---\nnull\n--- # note\nb: 2\n";
  assert.deepEqual(parseYamlDocuments(text), [
    { value: { a: 1 }, document: 1, line: 4 },
    { value: { b: 2 }, document: 4, line: 9 },
  ]);
});

test("a separator within a block of text is text", () => {
  assert.deepEqual(parseYaml("a: |\n  x\n  ---\n  y\n"), { a: "x\n---\ny\n" });
});

test("Windows line ends make no difference", () => {
  assert.equal(parseYamlDocuments("a: 1\r\n---\r\nb: 2\r\n").length, 2);
});

test("directives stay with their document", () => {
  assert.deepEqual(parseYaml("%YAML 1.2\n---\na: 1\n"), { a: 1 });
});

test("JSON is read as JSON, exactly", () => {
  assert.deepEqual(parseYaml('{"a": 12345678901234567890}'), { a: 12345678901234567890n });
});

function failureOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof CapstanError) return error.failure;
    throw error;
  }
  return undefined;
}

test("an error names file, document, line and column", () => {
  const text = "a: 1\n---\n# second\nb:\n  c: 1\n d: 2\n";
  assert.deepEqual(
    failureOf(() => parseYaml(text, { file: "web.yaml" })),
    {
      code: "YAML_INVALID",
      file: "web.yaml",
      document: 2,
      line: 6,
      column: 2,
      problem: "bad indentation of a mapping entry",
    },
  );
});

test("a list of objects becomes its items", () => {
  const items = [
    { apiVersion: "v1", kind: "A" },
    { apiVersion: "v1", kind: "B" },
  ];
  const found = parseManifests(dumpYaml({ apiVersion: "v1", kind: "List", items }));
  assert.deepEqual(
    found.map(({ kind }) => kind),
    ["A", "B"],
  );
});

test("manifests know where they stood", () => {
  const text = "apiVersion: v1\nkind: A\n---\n\napiVersion: v1\nkind: B\nmetadata: {name: b}\n";
  assert.deepEqual(
    parsePlacedManifests(text).map(({ document, line, manifest }) => [document, line, manifest.kind]),
    [
      [1, 1, "A"],
      [2, 5, "B"],
    ],
  );
});

const broken: [string, string, RegExp][] = [
  ["no kind", "apiVersion: v1", /kind is missing/],
  ["no apiVersion", "kind: A", /apiVersion of this A is missing/],
  ["a list", "- 1", /not an object with apiVersion and kind/],
  ["metadata that is text", "apiVersion: v1\nkind: A\nmetadata: x", /metadata of this A is not an object/],
];
for (const [fact, text, message] of broken) {
  test(`no manifest: ${fact}`, () => assert.throws(() => parseManifests(text, { file: "x.yaml" }), message));
}

test("output looks as kubectl's: sorted keys, lists not indented, ambiguous text in quotes", () => {
  const value = {
    b: ["x", { d: 1, c: "yes" }],
    a: { on: "0644" },
    t: "one\ntwo\n",
    m: 12345678901234567890n,
    u: undefined,
  };
  assert.equal(
    dumpYaml(value),
    'a:\n  "on": "0644"\nb:\n- x\n- c: "yes"\n  d: 1\nm: 12345678901234567890\nt: |\n  one\n  two\n',
  );
});

test("text that looks like a date is quoted, for readers that know dates", () => {
  assert.equal(dumpYaml({ a: "2026-01-02" }), 'a: "2026-01-02"\n');
});

test("what is written is read back the same", () => {
  const value = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
      fc.constantFrom(
        "yes",
        "0644",
        "1_0",
        "1:30",
        "2026-01-02",
        "~",
        "",
        " a",
        "a: b",
        "#",
        "- x",
        "!x",
        "*x",
        ".inf",
      ),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(fc.stringMatching(/^[ -~]{1,8}$/), tie("node"), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).node;
  fc.assert(
    fc.property(value, (node) => {
      assert.deepEqual(parseYaml(dumpYaml({ node })), { node });
    }),
    { numRuns: 500 },
  );
});

test("a text that comes in pieces is read as the whole is, wherever it is cut", () => {
  const line = fc.constantFrom(
    ...["---", "--- # x", "---foo: 1", "%YAML 1.1", "# note", "", "kind: Ä", "apiVersion: v1", "- 1", " ---"],
    ...[
      "metadata: {name: 'ü'}",
      "a: |",
      "  ---",
      "items: []",
      "\tx",
      "...",
      '{"apiVersion":"v1","kind":"J"}',
    ],
  );
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      return error instanceof CapstanError ? error.failure : error;
    }
  };
  const lines = fc.array(line, { maxLength: 24 });
  fc.assert(
    fc.property(lines, fc.constantFrom("\n", "\r\n"), fc.integer({ min: 1, max: 40 }), (all, end, size) => {
      const text = all.join(end);
      const bytes = Buffer.from(text);
      const reader = new ManifestReader({ file: "f" });
      for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
      assert.deepEqual(
        outcome(() => reader.end()),
        outcome(() => parsePlacedManifests(text, { file: "f" })),
      );
    }),
    { numRuns: 2_000 },
  );
});

test("a document's last line ends before the separator of the next", () => {
  const [first, second] = parseYamlDocuments("a: |+\n\n\n---\na: |+\n\n\n");
  assert.deepEqual([first?.value, second?.value], [{ a: "\n\n" }, { a: "\n\n" }]);
});
