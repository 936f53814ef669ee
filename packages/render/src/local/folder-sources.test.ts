import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configMap, noSignal, startWorld, TempFolder } from "@capstan/testkit/render-world";

const url = "https://git.example/shop.git";

async function folderWorld() {
  const folder = new TempFolder();
  mkdirSync(join(folder.path, "web"));
  writeFileSync(join(folder.path, "web", "a.yaml"), configMap("a"));
  const world = await startWorld({ localFolder: { url, path: folder.path } });
  const ask = () =>
    world.server.generateManifests(
      { ...world.request({ path: "web", repoURL: url }), repository: { url } },
      noSignal,
    );
  return {
    folder: folder.path,
    repository: world.repository,
    world,
    ask,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("files are rendered as they are, and a saved change shows at once", async () => {
  await using world = await folderWorld();
  assert.equal((await world.ask()).manifests.length, 1);
  assert.equal((await world.ask()).cache, "hit");
  writeFileSync(join(world.folder, "web", "b.yaml"), configMap("b"));
  const changed = await world.ask();
  assert.deepEqual(
    changed.manifests.map(({ manifest }) => manifest.metadata.name),
    ["a", "b"],
  );
});

test("ids are git's, so that plugins keep what they have of it", async () => {
  await using world = await folderWorld();
  const { folder, repository } = world;
  writeFileSync(join(folder, "run.sh"), "#!/bin/sh\n");
  chmodSync(join(folder, "run.sh"), 0o755);
  symlinkSync("web/a.yaml", join(folder, "link"));
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "node_modules", "left-out.js"), "");
  repository.commit({
    "web/a.yaml": configMap("a"),
    "run.sh": "#!/bin/sh\n",
    link: { link: "web/a.yaml" },
  });
  repository.git("update-index", "--chmod=+x", "run.sh");
  const { folderSources } = await import("./folder-sources.ts");
  const sources = folderSources(folder, { maxFileBytes: 1_000, maxFiles: 100 });
  const at = { repository: { url }, source: { repoURL: url } };
  const tree = await sources.tree({ ...at, revision: "" }, noSignal);
  assert.equal((await tree.entry(""))?.digest, repository.git("write-tree"));
});

test("a folder with too much in it is refused with its limit", async () => {
  await using world = await folderWorld();
  const { folderSources } = await import("./folder-sources.ts");
  const at = { repository: { url }, source: { repoURL: url } };
  const few = folderSources(world.folder, { maxFileBytes: 1_000, maxFiles: 0 });
  await assert.rejects(few.resolve(at, noSignal), /holds more than 0 files/);
  const small = folderSources(world.folder, { maxFileBytes: 1, maxFiles: 10 });
  await assert.rejects(small.resolve(at, noSignal), /web\/a\.yaml has .* more than the limit/);
  const absent = folderSources(join(world.folder, "absent"), { maxFileBytes: 1, maxFiles: 10 });
  await assert.rejects(absent.resolve(at, noSignal), /absent/);
});
