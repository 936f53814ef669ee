import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationKeys, isSkipped } from "./annotations.ts";

test("skip-reconcile is true as Go reads it, and false where it cannot be read", () => {
  const skipped = (text: string) => isSkipped({ [annotationKeys.skipReconcile]: text });
  assert.deepEqual(["true", "True", "1", "t"].map(skipped), [true, true, true, true]);
  assert.deepEqual(["false", "yes", "", "tRue"].map(skipped), [false, false, false, false]);
  assert.equal(isSkipped(undefined), false);
});
