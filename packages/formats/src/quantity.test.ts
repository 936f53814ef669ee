import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalQuantity, parseQuantity } from "./quantity.ts";

test("quantities keep their amount in their one spelling", () => {
  const suffix = fc.constantFrom("", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "E2");
  fc.assert(
    fc.property(fc.nat(), fc.nat(999), suffix, (whole, fraction, unit) => {
      const written = `${whole}.${String(fraction).padStart(3, "0")}${unit}`;
      const canonical = canonicalQuantity(written) ?? assert.fail(written);
      assert.equal(canonicalQuantity(canonical), canonical);
      assert.equal(parseQuantity(canonical)?.nanos, parseQuantity(written)?.nanos);
    }),
  );
});

/** What apimachinery's resource.Quantity prints. */
const spellings: Readonly<Record<string, string>> = {
  "1000m": "1",
  "0.5": "500m",
  "1024Mi": "1Gi",
  "1.5Gi": "1536Mi",
  "100Ki": "100Ki",
  "512": "512",
  "0.1Ki": "102400m",
  "0.5Mi": "512Ki",
  "10000": "10k",
  "1e3": "1e3",
  "100e-3": "100e-3",
  "12e2": "1200",
  "1e-10": "1e-9",
  "0.1n": "1n",
  "-1": "-1",
  "+1000m": "1",
  "06000m": "6",
  "0": "0",
  ".5Gi": "512Mi",
  "1.": "1",
  ".": "0",
  Gi: "0",
};

test("amounts are spelled as apimachinery spells them", () => {
  for (const [written, canonical] of Object.entries(spellings))
    assert.equal(canonicalQuantity(written), canonical, written);
  for (const wrong of ["", "x", "1x", "1 Gi", "1.2.3", "1GiB", "1ee3", "1e400", "1e"])
    assert.equal(canonicalQuantity(wrong), undefined, wrong);
});
