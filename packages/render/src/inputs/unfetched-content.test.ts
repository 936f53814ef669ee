import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, failsWith, startWorld } from "@capstan/testkit/render-world";

const commitId = "1234567890123456789012345678901234567890";
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
const settings = { withoutSubmodules: true };

function addSubmodule(repository: { git(...args: string[]): string }, path: string): void {
  repository.git("update-index", "--add", "--cacheinfo", `160000,${commitId},${path}`);
  repository.git("commit", "--quiet", "-m", "Add a submodule");
}

test("a source with a submodule is not rendered without it", async () => {
  await using world = await startWorld();
  const { repository, render } = world;
  repository.commit({
    "app/one.yaml": configMap("one"),
    "other/one.yaml": configMap("one"),
    "kustom/kustomization.yaml": "resources: [../app/sub/one.yaml]\n",
  });
  const recurse = { directory: { recurse: true } };
  assert.equal((await render({ path: "app", ...recurse })).manifests.length, 1);
  addSubmodule(repository, "app/sub");
  await world.server.forgetRevisions(repository.url);
  const refused = failsWith(
    { code: "FAILED_PRECONDITION" },
    /submodule app\/sub.*would be missing and pruned/,
  );
  await assert.rejects(render({ path: "app", ...recurse }), refused);
  await assert.rejects(render({ path: "app/sub" }), refused);
  await assert.rejects(render({ path: "app/sub/deeper" }), refused);
  await assert.rejects(render({ path: "kustom" }), refused);
  assert.equal((await render({ path: "other" })).manifests.length, 1, "elsewhere in the repository");
  assert.equal((await render({ path: "app" })).manifests.length, 1, "below a directory that is not entered");
  assert.equal((await render({ path: "app", ...recurse }, { settings })).manifests.length, 1, "not wanted");
});

test("the pointer of a file that Git LFS keeps is not rendered", async () => {
  await using world = await startWorld();
  const { repository, render } = world;
  repository.commit({
    "app/one.yaml": pointer,
    "kustom/kustomization.yaml": "configMapGenerator: [{name: one, files: [one.txt]}]\n",
    "kustom/one.txt": pointer,
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/one.yaml": configMap("one"),
    "other/one.yaml": configMap("one", { text: pointer }),
    "other/README.md": "text",
  });
  const refused = (file: string) =>
    failsWith({ code: "FAILED_PRECONDITION" }, new RegExp(`file ${file}.*Git LFS`));
  await assert.rejects(render({ path: "app" }), refused("app/one.yaml"));
  await assert.rejects(render({ path: "kustom" }), refused("kustom/one.txt"));
  const helm = { valueFiles: ["../app/one.yaml"] };
  await assert.rejects(render({ path: "chart", helm }), refused("app/one.yaml"));
  assert.equal((await render({ path: "other" })).manifests.length, 1);
});
