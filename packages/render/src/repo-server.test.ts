import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, startWorld } from "@capstan/testkit/render-world";

test("a directory of a git repository is rendered with its commit, file and line", async () => {
  await using world = await startWorld();
  const sha = world.repository.commit({
    "app/web.yaml": `# first\n${configMap("one")}\n---\n${configMap("two")}\n`,
  });
  const answer = await world.render({ path: "app" });
  assert.deepEqual(
    answer.manifests.map(({ manifest, origin }) => [manifest.metadata.name, origin]),
    [
      ["one", { file: "app/web.yaml", document: 1, line: 2 }],
      ["two", { file: "app/web.yaml", document: 2, line: 4 }],
    ],
  );
  assert.equal(answer.revision, sha);
  assert.equal(answer.sourceType, "Directory");
  assert.equal(answer.cache, "miss");
});

test("a commit that touches other directories is answered from the cache, one that touches ours is not", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/web.yaml": configMap("one"), "other/x.yaml": configMap("x") });
  await world.render({ path: "app" });
  world.repository.commit({ "other/x.yaml": configMap("y") });
  world.server.forgetRevisions(world.repository.url);
  assert.equal((await world.render({ path: "app" })).cache, "hit");
  world.repository.commit({ "app/web.yaml": configMap("two") });
  world.server.forgetRevisions(world.repository.url);
  const changed = await world.render({ path: "app" });
  assert.equal(changed.cache, "miss");
  assert.equal(changed.manifests[0]?.manifest.metadata.name, "two");
  assert.equal(world.log.renders, 2);
});

for (const separateStarter of ["always", "for renders"] as const)
  test(`programs started by a process of their own, ${separateStarter}: it renders the same`, async () => {
    await using world = await startWorld({ separateStarter });
    const resources = "kind: Kustomization\nresources: [web.yaml]\nnamePrefix: a-\n";
    world.repository.commit({ "app/kustomization.yaml": resources, "app/web.yaml": configMap("one") });
    const { sourceType, manifests } = await world.render({ path: "app" });
    assert.equal(sourceType, "Kustomize");
    assert.deepEqual(
      manifests.map(({ manifest }) => manifest.metadata.name),
      ["a-one"],
    );
    world.repository.commit({ "app/kustomization.yaml": "resources: [gone.yaml]\n" });
    world.server.forgetRevisions(world.repository.url);
    await assert.rejects(world.render({ path: "app" }), /gone\.yaml/);
  });
