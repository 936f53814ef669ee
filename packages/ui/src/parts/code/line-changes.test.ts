import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countLines, lineChanges } from "./line-changes.ts";

/** The second text, made of the first one by the changes. */
function applied(a: string, b: string): string {
  let text = "";
  let at = 0;
  for (const { fromA, toA, fromB, toB } of lineChanges(a, b)) {
    assert.ok(fromA >= at && toA >= fromA && toB >= fromB);
    text += a.slice(at, fromA) + b.slice(fromB, toB);
    at = toA;
  }
  return text + a.slice(at);
}

test("the changes make one text of the other, whatever the texts", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "d d"), { maxLength: 14 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (a, b) => assert.equal(applied(a, b), b)),
    { numRuns: 3_000 },
  );
});

test("what stays is no part of a change", () => {
  const changed = (a: string, b: string) =>
    lineChanges(a, b).map(({ fromA, toA, fromB, toB }) => [a.slice(fromA, toA), b.slice(fromB, toB)]);
  assert.deepEqual(changed("a\nb\nc", "a\nx\nc"), [["b", "x"]]);
  assert.deepEqual(changed("a\nb\nc", "a\nc"), [["b\n", ""]]);
  assert.deepEqual(changed("a\nb", "a\nb\nc"), [["", "\nc"]]);
  assert.deepEqual(changed("a\na\na\nb", "a\na\nb"), [["a\n", ""]]);
  assert.deepEqual(changed("same", "same"), []);
});

test("900 edits in 9,000 lines are 900 changes, also where lines repeat", () => {
  const lines = (edited: boolean) =>
    Array.from({ length: 9_000 }, (_, index) =>
      index % 10 === 5
        ? `  image: web:${edited ? "new" : "old"}`
        : index % 10 === 0
          ? `- name: n${index}`
          : "  ports: []",
    ).join("\n");
  const changes = lineChanges(lines(false), lines(true));
  assert.equal(changes.length, 900);
  for (const { fromA, toA } of changes) assert.equal(toA - fromA, "  image: web:old".length);
});

test("lines that come and go are counted; an object that is not there has none", () => {
  assert.deepEqual(countLines("a\nb\nc\n", "a\nx\ny\nc\n"), { added: 2, removed: 1 });
  assert.deepEqual(countLines("", "a\nb\n"), { added: 2, removed: 0 });
  assert.deepEqual(countLines("a\n", ""), { added: 0, removed: 1 });
});
