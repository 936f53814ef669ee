import assert from "node:assert/strict";
import { test } from "node:test";
import { isRange, newestIn } from "@capstan/formats";
import { catalog } from "./functions/catalog.ts";
import { publishedVersions } from "./functions/published-versions.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";

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

const resolve = functionResolver({ catalog, imagePrefix: defaultImagePrefix });
const rest = { exec: "", configPath: "", configMap: new Map(), name: "", selectors: [], exclude: [] };

test("a range in `tag` becomes the newest published version in it", async () => {
  const { image } = await resolve({ ...rest, image: "set-labels:v0.1.3", tag: "~0.2" });
  assert.equal(image, `${defaultImagePrefix}/set-labels:v0.2.5`);
});

test("a range that no version satisfies is refused with the versions that there are", async () => {
  const asked = resolve({ ...rest, image: "set-image", tag: ">= 3" });
  await assert.rejects(asked, /no tag could be found matching the version constraint ">= 3": .*v0\.1\.1/);
});

test("a range of versions of an image that is not the catalog's is refused", async () => {
  const asked = resolve({ ...rest, image: "example.com/team/shape", tag: "^1" });
  await assert.rejects(asked, /name one instead of the range `tag: \^1`/);
});
