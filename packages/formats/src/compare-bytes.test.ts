import assert from "node:assert/strict";
import { test } from "node:test";
import { compareBytes } from "./compare-bytes.ts";

test("texts stand in the order of their bytes as UTF-8", () => {
  const texts = ["", "a", "a\u0000", "ab", "b", "ä", "\uff5e", "\uff5ea", "😀", "😀a", "😁"];
  for (const left of texts)
    for (const right of texts) {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareBytes(left, right)), bytes, JSON.stringify([left, right]));
    }
});
