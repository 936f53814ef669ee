import assert from "node:assert/strict";
import { test } from "node:test";
import { isCapstanError } from "../failures/capstan-error.ts";
import { parseYaml, parseYamlDocuments } from "./yaml.ts";

const refused = (problem: RegExp) => (error: unknown) =>
  isCapstanError(error, "YAML_INVALID") && /bomb\.yaml/.test(error.message) && problem.test(error.message);
const read = (text: string) => () => parseYaml(text, { file: "bomb.yaml" });

test("aliases of aliases are counted, not gone over", () => {
  const levels = Array.from(
    { length: 12 },
    (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(", ")}]`,
  );
  assert.throws(read(`l0: &l0 [x]\n${levels.join("\n")}\n`), refused(/more than 1000000 values/));
  const maps = Array.from({ length: 30 }, (_, at) => `l${at + 1}: &l${at + 1} {a: *l${at}, b: *l${at}}`);
  assert.throws(read(`l0: &l0 {x: 1}\n${maps.join("\n")}\n`), refused(/more than 1000000 values/));
});

test("a long text that many aliases stand for counts each time", () => {
  assert.throws(
    read(`t: &t "${"x".repeat(100_000)}"\nall: [${Array(1_000).fill("*t").join(", ")}]\n`),
    refused(/64 MiB of text/),
  );
});

test("an alias of what it stands in, merges that multiply, and depth are refused", () => {
  assert.throws(read("a: &a\n  b: *a\n"), refused(/part of/));
  const keys = Array.from({ length: 1_000 }, (_, at) => `k${at}: 1`).join(", ");
  assert.throws(read(`a: &a {${keys}}\nall:\n${"- {<<: *a}\n".repeat(1_000)}`), refused(/merge keys/));
  assert.throws(read(`${"[".repeat(3_000)}${"]".repeat(3_000)}`), refused(/nesting|levels/));
  assert.throws(read(`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`), refused(/nesting|levels/));
});

test("what people write with aliases goes on working", () => {
  const text =
    "base: &base {image: a, ports: [1, 2]}\nweb: {<<: *base, image: b}\nlist: [*base, *base]\n---\nx: '*&'\n";
  const [first] = parseYamlDocuments(text, { file: "bomb.yaml" });
  assert.deepEqual(first?.value, {
    base: { image: "a", ports: [1, 2] },
    web: { image: "b", ports: [1, 2] },
    list: [
      { image: "a", ports: [1, 2] },
      { image: "a", ports: [1, 2] },
    ],
  });
  assert.deepEqual(parseYaml('{"a": "[[[[", "b": "\\"}{"}'), { a: "[[[[", b: '"}{' });
});
