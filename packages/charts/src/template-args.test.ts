import assert from "node:assert/strict";
import { test } from "node:test";
import { readKubeVersion } from "./kube-version.ts";
import { escapeCommas } from "./template-args.ts";

test("commas are escaped once, and not in lists", () => {
  assert.equal(escapeCommas("a,b"), "a\\,b");
  assert.equal(escapeCommas("a\\,b,c"), "a\\,b\\,c");
  assert.equal(escapeCommas("{a,b}"), "{a,b}");
});

test("cluster versions as helm takes them", () => {
  for (const [given, taken] of [
    ["v1.30.2+k3s1", "v1.30.2"],
    ["1.29+", "v1.29"],
    ["v1.31.0-rc.1", "v1.31.0-rc.1"],
    ["unknown", ""],
  ] as const)
    assert.equal(readKubeVersion(given), taken);
});
