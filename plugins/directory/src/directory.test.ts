import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSource } from "@capstan/model";
import { configMap, failsWith, startWorld } from "@capstan/testkit/render-world";

async function namesIn(
  files: Parameters<Awaited<ReturnType<typeof startWorld>>["repository"]["commit"]>[0],
  source: Partial<ApplicationSource>,
) {
  await using world = await startWorld();
  world.repository.commit(files);
  const { manifests } = await world.render(source);
  return manifests.map(({ manifest }) => manifest.metadata.name);
}

const tree = {
  "app/a.yaml": configMap("a"),
  "app/b.yml": configMap("b"),
  "app/c.json": configMap("c"),
  "app/d.txt": configMap("d"),
  "app/sub/e.yaml": configMap("e"),
  "app/sub/deep/f.yaml": configMap("f"),
};

test("files of one directory by extension; directories below only with recurse", async () => {
  assert.deepEqual(await namesIn(tree, { path: "app" }), ["a", "b", "c"]);
  assert.deepEqual(await namesIn(tree, { path: "app", directory: { recurse: true } }), [
    "a",
    "b",
    "c",
    "f",
    "e",
  ]);
  assert.deepEqual(await namesIn(tree, { path: "app", directory: { disableExtensionFilter: true } }), [
    "a",
    "b",
    "c",
    "d",
  ]);
});

test("include and exclude are globs on the path in the directory, and exclude wins", async () => {
  const render = (include: string, exclude = "") =>
    namesIn(tree, { path: "app", directory: { recurse: true, include, exclude } });
  assert.deepEqual(await render("*.yaml"), ["a", "f", "e"], "* matches / too");
  assert.deepEqual(await render("{a,b}.*"), ["a", "b"]);
  assert.deepEqual(await render("*.yaml", "sub/*"), ["a"]);
  assert.deepEqual(await render("", "{sub/deep/*,a.yaml}"), ["b", "c", "e"]);
});

test("marked files, YAML of other programs and empty documents give nothing", async () => {
  const files = {
    "app/marked.yaml": `# +argocd:skip-file-rendering\n${configMap("marked")}`,
    "app/values.yaml": "replicas: 3\nimage: {tag: x}\n",
    "app/broken.yaml": "{{ if .Values.x }}\na: b\n",
    "app/empty.yaml": "---\n# nothing\n---\nnull\n",
    "app/real.yaml": configMap("real"),
  };
  assert.deepEqual(await namesIn(files, { path: "app" }), ["real"]);
});

test("the items of a List are objects of their own, in YAML and in JSON", async () => {
  const list = (...names: string[]) =>
    `{"apiVersion":"v1","kind":"List","items":[${names.map((name) => configMap(name)).join(",")}]}`;
  const files = { "app/a.yaml": `${list("one", "two")}\n`, "app/b.json": list("three") };
  assert.deepEqual(await namesIn(files, { path: "app" }), ["one", "two", "three"]);
});

test("a JSON file holds one object only", async () => {
  await assert.rejects(
    namesIn({ "app/a.json": `${configMap("a")}\n${configMap("b")}` }, { path: "app" }),
    failsWith({ code: "MANIFEST_INVALID", file: "app/a.json" }),
  );
});

test("links to files within the repository are followed, others to nothing or to directories passed over", async () => {
  const files = {
    "app/link.yaml": { link: "../common/x.yaml" },
    "app/nothing.yaml": { link: "gone.yaml" },
    "app/directory.yaml": { link: "../common" },
    "common/x.yaml": configMap("x"),
  };
  assert.deepEqual(await namesIn(files, { path: "app" }), ["x"]);
  assert.deepEqual(
    await namesIn({ ...files, here: { link: "app" } }, { path: "here" }),
    ["x"],
    "the path itself may be a link",
  );
});

test("integers beyond 2^53 stay exact", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "app/a.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: a}\nspec: {count: 9007199254740993}\n",
  });
  const { manifests } = await world.render({ path: "app" });
  assert.deepEqual(manifests[0]?.manifest.spec, { count: 9007199254740993n });
});

test("overrides in the directory change the source, but not where it is", async () => {
  await using world = await startWorld();
  world.repository.commit({
    ...tree,
    "app/.argocd-source.yaml": "path: elsewhere\ndirectory: {recurse: true}\n",
    "app/.argocd-source-web.yaml": "directory: {exclude: 'sub/deep/*'}\n",
  });
  const { manifests } = await world.render({ path: "app" });
  assert.deepEqual(
    manifests.map(({ manifest }) => manifest.metadata.name),
    ["a", "b", "c", "e"],
  );
  const other = await world.render({ path: "app" }, { appName: "other" });
  assert.deepEqual(
    other.manifests.map(({ manifest }) => manifest.metadata.name),
    ["a", "b", "c", "f", "e"],
  );
});
