import assert from "node:assert/strict";
import { test } from "node:test";
import { withLines } from "./field-lines.ts";

const text = `# a file
apiVersion: v1
---
# another
kind: Thing
metadata:
  annotations: {"example.com/a": b,
    c: d}
spec:
  inputz:
    globs: [x]
  static:
    - name: one
      bad: |
        text
    -
      worse: 'q'
  "quoted key": 1
`;

const places: readonly [string, number][] = [
  ["kind", 5],
  ["metadata.annotations", 7],
  ['metadata.annotations["example.com/a"]', 7],
  ["metadata.annotations.c", 8],
  ["spec.inputz", 10],
  ["spec.inputz.globs[0]", 11],
  ["spec.static[0].bad", 14],
  ["spec.static[1].worse", 17],
  ['spec["quoted key"]', 18],
];
for (const [field, line] of places)
  test(`${field} stands on line ${line}`, () => {
    const [found] = withLines([{ field, severity: "warning", message: "" }], text, 2);
    assert.equal(found?.line, line);
  });

test("what is missing has the line of the nearest above it, and what cannot be read none", () => {
  const missing = { field: "spec.generate.command", severity: "error", message: "is missing" } as const;
  assert.equal(withLines([missing], text, 2)[0]?.line, 9);
  assert.equal(withLines([missing], text, 1)[0]?.line, 2);
  assert.equal(withLines([missing], "a: [", 1)[0]?.line, undefined);
  assert.equal(withLines([missing], '{"spec": {\n"generate": {}}}')[0]?.line, 2);
});
