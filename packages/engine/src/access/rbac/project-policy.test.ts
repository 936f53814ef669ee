import assert from "node:assert/strict";
import { test } from "node:test";
import { readProjectPolicy } from "./project-policy.ts";

test("thirty thousand roles with mistakes are read one after the other, not each with all before it", () => {
  const roles = Array.from({ length: 30_000 }, (_, at) => ({ name: `r${at}`, groups: ['"'] }));
  const spec = { roles: [{ name: "first", policies: ["p, proj:team:first, a, deny"] }, ...roles] };
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "team" },
    spec,
  };
  const { problems, rules } = readProjectPolicy(project, "glob");
  assert.equal(problems.length, 30_001);
  assert.deepEqual(
    rules.filter(({ isAllow }) => !isAllow).map(({ subject }) => subject),
    ["proj:team:first"],
  );
});
