import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { JSON_SCHEMA, load } from "js-yaml";
import { objectText, parseObject } from "./object-text.ts";
import { toYaml } from "./to-yaml.ts";

const texts = fc.oneof(
  fc.string(),
  fc.string({
    unit: fc.constantFrom("a", " ", "\n", ":", "#", "-", '"', "'", "0", "{", "&", "*", "!", "|", "\t"),
  }),
  fc.constantFrom(
    "true",
    "no",
    "~",
    "1e3",
    "0x1f",
    "2026-01-01",
    ".5",
    "-",
    "- a",
    "a: b",
    "a #b",
    "key:",
    "",
    " x",
    "=",
    "<<",
  ),
);
const names = texts.filter((name) => name !== "__proto__" && name !== "<<");
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test("another reader of YAML gets the same value back", () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = toYaml(value);
      assert.deepEqual(load(text, { schema: JSON_SCHEMA }), value, text);
    }),
    { numRuns: 2000 },
  );
});

test("an object reads as people write it", () => {
  const manifest = {
    kind: "ConfigMap",
    data: { "run.sh": "set -e\necho hi\n", on: "yes", empty: "" },
    apiVersion: "v1",
    metadata: { name: "web", labels: {} },
    list: [{ b: 1, a: ["x"] }, []],
  };
  assert.equal(
    toYaml(manifest),
    [
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata:",
      "  labels: {}",
      "  name: web",
      "data:",
      '  empty: ""',
      '  "on": "yes"',
      "  run.sh: |",
      "    set -e",
      "    echo hi",
      "list:",
      "- a:",
      "  - x",
      "  b: 1",
      "- []",
      "",
    ].join("\n"),
  );
});

test("what nobody reads is left out until asked for", () => {
  const live = JSON.stringify({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "web",
      uid: "1",
      managedFields: [{}],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
    },
    status: { loadBalancer: {} },
  });
  assert.equal(
    objectText(parseObject(live), { noise: false, status: false }),
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n",
  );
  assert.match(
    objectText(parseObject(live), { noise: true, status: true }),
    /managedFields:.*uid:.*status:/s,
  );
  assert.equal(objectText(parseObject("null"), { noise: false, status: false }), "");
  assert.equal(objectText(parseObject("{broken"), { noise: false, status: false }), "");
});
