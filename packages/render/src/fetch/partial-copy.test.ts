import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGitServer } from "@capstan/testkit";
import { configMap, gitEnv, startWorld } from "@capstan/testkit/render-world";
import type { ManifestResponse } from "@capstan/wire";

const partial = [
  ["uploadpack.allowFilter", "true"],
  ["uploadpack.allowAnySHA1InWant", "true"],
] as const;

function bytesOf(dir: string): number {
  let bytes = 0;
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    const found = statSync(join(dir, name));
    if (found.isFile()) bytes += found.size;
  }
  return bytes;
}

const name = ({ manifests }: ManifestResponse) =>
  manifests.map(({ manifest }) => manifest.metadata.name).join();

for (const offers of [true, false])
  test(`a commit without the large files of others, and none of history; ${offers ? "" : "not "}offered by the server`, async () => {
    await using server = await startGitServer();
    const git = await server.createRepository("team", {});
    if (offers) for (const [key, value] of partial) await git.git("config", key, value);
    for (const round of ["1", "2"])
      await git.commit({ "video.bin": randomBytes(4 * 2 ** 20), "app/a.yaml": configMap(`a${round}`) });
    await using world = await startWorld();
    const ask = (path: string) => world.render({ path, repoURL: git.url }, { repository: { url: git.url } });
    assert.equal(name(await ask("app")), "a2");
    const repos = join(world.dataDir, "repos");
    const bytes = bytesOf(repos);
    assert.ok(offers ? bytes < 2 ** 20 : bytes > 4 * 2 ** 20 && bytes < 6 * 2 ** 20, `${bytes} bytes`);
    await git.commit({ "app/a.yaml": configMap("a3") });
    world.server.forgetRevisions(git.url);
    assert.equal(name(await ask("app")), "a3");
    if (offers) assert.ok(bytesOf(repos) < 2 ** 20, "nor with a later commit");
  });

test("a large file is fetched where an application reads it, once, and a restart finds it", async () => {
  await using server = await startGitServer();
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "large" },
    data: { key: randomBytes(2 ** 20).toString("base64") },
  });
  const git = await server.createRepository("team", { "app/large.yaml": text, "app/b.yaml": configMap("b") });
  for (const [key, value] of partial) await git.git("config", key, value);
  await using world = await startWorld();
  const source = { path: "app", repoURL: git.url };
  assert.equal(name(await world.render(source, { repository: { url: git.url } })), "b,large");
  const asked = server.requests.length;
  await world.server[Symbol.asyncDispose]();
  await using again = await startWorld({ dataDir: world.dataDir });
  await git.commit({ "other.txt": "x" });
  assert.equal(name(await again.render(source, { repository: { url: git.url } })), "b,large");
  assert.ok(server.requests.length - asked <= 4, "a listing and one fetch");
});

test("of very many files an application gets its own, and no git program asks by itself", async () => {
  await using server = await startGitServer();
  const git = await server.createRepository("mono", {});
  for (const [key, value] of partial) await git.git("config", key, value);
  // Written past the work tree: so many files take long.
  const lines = Array.from({ length: 10_100 }, (_, index) => {
    const content = `${index}`;
    return `M 100644 inline other/${index % 101}/${index}\ndata ${content.length}\n${content}\n`;
  });
  const kustomization = "resources: [a.yaml]\n";
  const app = configMap("a");
  execFileSync("git", ["fast-import", "--quiet", "--force"], {
    cwd: git.dir,
    env: gitEnv,
    input: `commit refs/heads/main\ncommitter Ada <ada@example.com> 1767323045 +0000\ndata 1\nx\n${lines.join("")}M 100644 inline app/a.yaml\ndata ${app.length}\n${app}\nM 100644 inline base/kustomization.yaml\ndata ${kustomization.length}\n${kustomization}\nM 100644 inline base/a.yaml\ndata ${app.length}\n${app}\n\n`,
  });
  await using world = await startWorld();
  const ask = (path: string) => world.render({ path, repoURL: git.url }, { repository: { url: git.url } });
  assert.equal(name(await ask("app")), "a");
  assert.equal(name(await ask("base")), "a");
  const [dir = ""] = readdirSync(join(world.dataDir, "repos"));
  const copy = join(world.dataDir, "repos", dir);
  const here = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch-check"], {
    cwd: copy,
    env: gitEnv,
    encoding: "utf8",
  });
  const blobs = here.match(/ blob /g)?.length ?? 0;
  assert.ok(blobs <= 4, `${blobs} files`);
  const config = execFileSync("git", ["config", "--list", "--local"], {
    cwd: copy,
    env: gitEnv,
    encoding: "utf8",
  });
  assert.doesNotMatch(config, /promisor|partialclone/i);
});
