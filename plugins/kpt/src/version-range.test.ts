import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog } from "./functions/catalog.ts";
import { publishedVersions } from "./functions/published-versions.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";

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

test("one version and a word are tags, no ranges", async () => {
  for (const tag of ["v0.2.1", "0.2", "latest"]) {
    const { image } = await resolve({ ...rest, image: "set-labels:v0.1.3", tag });
    assert.equal(image, `${defaultImagePrefix}/set-labels:${tag}`);
  }
});
