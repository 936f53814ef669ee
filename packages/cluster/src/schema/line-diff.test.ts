import assert from "node:assert/strict";
import { test } from "node:test";
import { goDiff } from "./go-value.ts";
import { unifiedDiff } from "./line-diff.ts";

const lines = (...numbers: readonly number[]): string => numbers.join("\n");

test("equal texts do not differ", () => {
  assert.equal(unifiedDiff("a\nb", "a\nb"), "");
});

test("a change stands between three lines before and after", () => {
  const before = lines(1, 2, 3, 4, 5, 6, 7, 8, 9);
  const after = lines(1, 2, 3, 4, 50, 6, 7, 8, 9);
  assert.equal(unifiedDiff(before, after), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+50\n 6\n 7\n 8\n");
});

test("changes far from each other are told apart", () => {
  const before = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  const after = lines(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
  assert.equal(
    unifiedDiff(before, after),
    "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -10,3 +9,4 @@\n 10\n 11\n 12\n+13\n",
  );
});

test("an empty list is none to a comparison and is printed where something else differs", () => {
  assert.equal(goDiff("core.EventSource", { component: "a" }, { component: "a", host: "" }), "");
  const diff = goDiff("storage.CSINodeDriver", { name: "a" }, { name: "a", topologyKeys: ["b"] });
  assert.match(diff, /^- "TopologyKeys": null,$/m);
  assert.match(diff, /^\+ "TopologyKeys": \[$/m);
});
