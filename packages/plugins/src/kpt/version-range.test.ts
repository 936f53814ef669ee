import assert from "node:assert/strict";
import { test } from "node:test";
import { publishedVersions } from "../kpt-functions/published-versions.ts";
import { isRange, newestIn } from "./version-range.ts";

const versions = ["v0.1.9", "v0.2.0", "v0.2.1", "v0.3.4", "v1.0.0", "v1.2.3"];

const newest: Readonly<Record<string, string | undefined>> = {
  "0.1 - 0.2": "v0.2.1",
  "0.1.0 - 0.2.0": "v0.2.0",
  "~0.2": "v0.2.1",
  "~0.2.0": "v0.2.1",
  "~1": "v1.2.3",
  "^0.2.0": "v0.2.1",
  "^0": "v0.3.4",
  "^1.0": "v1.2.3",
  ">= 0.2, < 1": "v0.3.4",
  ">0.2 <1": "v0.3.4",
  "<=0.2": "v0.2.1",
  "!=1.2.3": "v1.0.0",
  "0.x": "v0.3.4",
  "*": "v1.2.3",
  "0.1.x || ~0.3": "v0.3.4",
  "~2": undefined,
};

test("a range of versions is answered by the newest in it", () => {
  for (const [range, wanted] of Object.entries(newest)) {
    assert.equal(isRange(range), true, range);
    assert.equal(newestIn(range, versions), wanted, range);
  }
});

test("one version and a word are tags, no ranges", () => {
  for (const tag of ["v0.4.1", "0.4", "1", "latest", "unstable", "v1.0.0-rc.1"])
    assert.equal(isRange(tag), false, tag);
});

test("the newest patch stands for those below it", () => {
  assert.deepEqual(publishedVersions("apply-setters"), [
    "v0.1.0",
    "v0.1.1",
    "v0.2.0",
    "v0.2.1",
    "v0.2.2",
    "v0.2.3",
  ]);
  assert.deepEqual(publishedVersions("none"), []);
});
