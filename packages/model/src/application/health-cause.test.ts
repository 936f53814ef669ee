import assert from "node:assert/strict";
import { test } from "node:test";
import { healthCause, isStuck, withHealthCause } from "./health-cause.ts";

test("a cause stands behind the objects that Argo CD names, on one line and not without end", () => {
  const message = withHealthCause("Caused by Deployment:shop/api", "CrashLoopBackOff: api-7d9f-x");
  assert.equal(message, "Caused by Deployment:shop/api; because CrashLoopBackOff: api-7d9f-x");
  assert.equal(healthCause(message), "CrashLoopBackOff: api-7d9f-x");
  assert.equal(healthCause("Caused by Deployment:shop/api"), "");
  assert.equal(healthCause(withHealthCause("", `a\nb${"c".repeat(1_000)}`)).length, 401);
});

test("what does not pass by itself is told from what is only on its way", () => {
  for (const cause of ["CrashLoopBackOff: a", "ErrImagePull: a", "CreateContainerConfigError: a"])
    assert.equal(isStuck(cause), true, cause);
  for (const cause of ["", "Deployment web: Error", "ContainerCreating: a"])
    assert.equal(isStuck(cause), false, cause);
});
