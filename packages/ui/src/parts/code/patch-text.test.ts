import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { patchText } from "./patch-text.ts";

test("a copied patch makes one text of the other, whatever they are", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d: 1", "  e: x"), { minLength: 1, maxLength: 40 })
    .map((lines) => `${lines.join("\n")}\n`);
  fc.assert(fc.property(text, text, (a, b) => assert.equal(applyPatch(a, patchText("x.yaml", a, b)), b)));
});

test("it reads as git's own", () => {
  const before = Array.from({ length: 12 }, (_, index) => `line ${index}\n`).join("");
  assert.equal(
    patchText("web.yaml", before, before.replace("line 6", "line six")),
    [
      "--- a/web.yaml",
      "+++ b/web.yaml",
      "@@ -4,7 +4,7 @@",
      ...[" line 3", " line 4", " line 5", "-line 6", "+line six", " line 7", " line 8", " line 9", ""],
    ].join("\n"),
  );
});
