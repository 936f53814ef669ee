import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutEndSlashes, withoutTrailing } from "./trim.ts";

test("one character is taken from the end as often as it stands there", () => {
  assert.equal(withoutEndSlashes("https://x/y///"), "https://x/y");
  assert.equal(withoutEndSlashes("///"), "");
  assert.equal(withoutEndSlashes("a/b"), "a/b");
  assert.equal(withoutTrailing("1.500", "0"), "1.5");
  const many = "/".repeat(2_000_000);
  assert.equal(withoutEndSlashes(`${many}x`).length, many.length + 1);
});
