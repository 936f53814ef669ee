import assert from "node:assert/strict";
import { test } from "node:test";
import { problemWith } from "./manifest-problems.ts";

const object = (name: string, more: { namespace?: string; kind?: string } = {}) => {
  const { kind = "ConfigMap", ...metadata } = more;
  return { apiVersion: "v1", kind, metadata: { ...(name === "" ? {} : { name }), ...metadata } };
};

test("what an author does wrong with manifests is said, and nothing else", () => {
  assert.match(problemWith([]) ?? "", /^no manifests/);
  assert.equal(
    problemWith([object("a"), object(""), object("")]),
    "without metadata.name: ConfigMap (item 2), ConfigMap (item 3)",
  );
  assert.equal(
    problemWith([object("a", { namespace: "x" }), object("a", { namespace: "x" })]),
    "made more than once: ConfigMap x/a",
  );
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { generateName: "j-" } };
  const others = [object("a", { namespace: "x" }), object("a", { kind: "Secret" })];
  assert.equal(problemWith([object("a"), ...others, job, job]), undefined);
});
