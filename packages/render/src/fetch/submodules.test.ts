import assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "node:test";
import { startGitServer } from "@capstan/testkit";
import { configMap, failsWith, startWorld, TempFolder, TestRepository } from "@capstan/testkit/render-world";

const anything = { sourceRepos: ["*"] };
const recurse = { directory: { recurse: true } };
const moduleText = (path: string, url: string) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`;

function addModule(repository: TestRepository, path: string, sha: string): void {
  repository.git("update-index", "--add", "--cacheinfo", `160000,${sha},${path}`);
  repository.git("commit", "--quiet", "-m", `Submodule ${path}`);
}

/** As a relative address has it. */
const toward = (from: TestRepository, to: TestRepository) => relative(from.dir, to.dir);

test("files of a submodule, and of one within it, are rendered as if they stood there", async () => {
  await using world = await startWorld();
  using folders = new TempFolder();
  const { repository, render } = world;
  const [inner, lib] = [new TestRepository(folders.path, "inner"), new TestRepository(folders.path, "lib")];
  const deep = inner.commit({ "deep.yaml": configMap("deep") });
  lib.commit({ ".gitmodules": moduleText("inner", "../inner"), "lib.yaml": configMap("lib") });
  addModule(lib, "inner", deep);
  const sha = lib.git("rev-parse", "HEAD");
  repository.commit({ "app/one.yaml": configMap("one"), "other/x.yaml": configMap("x") });
  repository.commit({ ".gitmodules": moduleText("app/sub", toward(repository, lib)) });
  addModule(repository, "app/sub", sha);
  const names = async (source: object) =>
    (await render(source, anything)).manifests.map(({ manifest }) => manifest.metadata.name).sort();
  assert.deepEqual(await names({ path: "app", ...recurse }), ["deep", "lib", "one"]);
  assert.deepEqual(await names({ path: "app/sub" }), ["lib"]);
  assert.deepEqual(await names({ path: "app/sub/inner" }), ["deep"]);
  assert.deepEqual(await names({ path: "other" }), ["x"]);
  lib.commit({ "lib.yaml": configMap("renamed") });
  addModule(lib, "inner", deep);
  addModule(repository, "app/sub", lib.git("rev-parse", "HEAD"));
  await world.server.forgetRevisions(repository.url);
  assert.deepEqual(await names({ path: "app", ...recurse }), ["deep", "one", "renamed"]);
});

test("a submodule that lacked credentials is fetched as soon as they are known", async () => {
  await using world = await startWorld();
  await using git = await startGitServer({ credentials: { username: "ada", password: "right" } });
  const { repository, render } = world;
  const lib = await git.createRepository("lib", { "lib.yaml": configMap("lib") });
  const sha = (await lib.git("rev-parse", "HEAD")).trim();
  repository.commit({ ".gitmodules": moduleText("sub", lib.url) });
  addModule(repository, "sub", sha);
  await assert.rejects(render({ path: "sub" }, anything), /submodule sub: .*asks for a user name/);
  const known = { url: lib.url, type: "git" as const, username: "ada", password: "right" };
  const { manifests } = await render({ path: "sub" }, { ...anything, repositories: [known] });
  assert.deepEqual(
    manifests.map(({ manifest }) => manifest.metadata.name),
    ["lib"],
  );
});

test("what the project does not permit is not fetched, and only what needs it fails", async () => {
  await using world = await startWorld();
  const { repository, render } = world;
  repository.commit({
    ".gitmodules":
      moduleText("app/sub", "https://git.example.com/secret.git") + moduleText("b", "ext::sh -c id"),
    "app/one.yaml": configMap("one"),
    "other/one.yaml": configMap("one"),
  });
  addModule(repository, "app/sub", "1".repeat(40));
  addModule(repository, "b", "2".repeat(40));
  const rules = { sourceRepos: [repository.url, "https://git.example.com/public/*"] };
  const refused = failsWith(
    { code: "FAILED_PRECONDITION" },
    /submodule app\/sub: .*git\.example\.com\/secret.*default/,
  );
  await assert.rejects(render({ path: "app", ...recurse }, rules), refused);
  await assert.rejects(render({ path: "b" }, rules), /submodule b: .*is no address of a repository/);
  assert.equal((await render({ path: "other" }, rules)).manifests.length, 1);
});

test("one project's leave to a submodule is not another's", async () => {
  await using world = await startWorld();
  using folders = new TempFolder();
  const { repository, render } = world;
  const lib = new TestRepository(folders.path, "lib");
  const sha = lib.commit({ "lib.yaml": configMap("lib") });
  repository.commit({ ".gitmodules": moduleText("sub", toward(repository, lib)) });
  addModule(repository, "sub", sha);
  assert.equal((await render({ path: "sub" }, anything)).manifests.length, 1);
  await assert.rejects(render({ path: "sub" }, { sourceRepos: [repository.url], project: "other" }), /other/);
  await assert.rejects(render({ path: "sub" }, { sourceRepos: [repository.url] }), /submodule sub/);
});
