import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packRows, unpackRows } from "./packed-rows.ts";

test("whatever the rows are, packing and JSON leave them as they were", () => {
  const shape = {
    name: fc.string(),
    state: fc.constantFrom("Healthy", "Degraded", ""),
    count: fc.nat(3),
    on: fc.boolean(),
  };
  const row = fc.record(shape, { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      assert.deepEqual(unpackRows(JSON.parse(JSON.stringify(packRows(rows)))), rows);
    }),
  );
});

test("what all rows have is told once", () => {
  const rows = Array.from({ length: 500 }, (_, index) => ({
    name: `app-${index}`,
    repository: "https://git.example.com/one.git",
  }));
  const text = JSON.stringify(packRows(rows));
  assert.equal(text.split("git.example.com").length, 2);
  assert.ok(text.length < 500 * 12, `${text.length}`);
});
