import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { walk } from "@capstan/plugin-kit";
import { noSignal, StandingClock, TempFolder, TestLog, TestRepository } from "@capstan/testkit/render-world";
import { GitSources } from "../fetch/git-sources.ts";
import { IssuedTokens } from "../fetch/issued-tokens.ts";
import { UnreachableHosts } from "../fetch/unreachable-hosts.ts";
import { defaultLimits } from "../limits.ts";
import { type FileChange, OverlayTree } from "./overlay-tree.ts";

const changes: readonly FileChange[] = [
  { path: "apps/web/a.yaml", kind: "file", data: Buffer.from("new\n") },
  { path: "apps/web/new/deep.sh", kind: "executable", data: Buffer.from("#!/bin/sh\n") },
  { path: "apps/old/x.yaml", kind: "file" },
  { path: "apps/web-two", kind: "symlink", data: Buffer.from("web") },
];

async function openTrees() {
  const folder = new TempFolder();
  const repository = new TestRepository(folder.path);
  repository.commit({
    "README.md": "hello\n",
    "apps/web/a.yaml": "old\n",
    "apps/web/b.yaml": "b\n",
    "apps/old/x.yaml": "x\n",
    "apps/web.txt": "sorts before the directory\n",
  });
  const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const clock = new StandingClock();
  const git = await GitSources.open({
    dataDir: join(folder.path, "data"),
    clock,
    hosts: new UnreachableHosts(clock),
    tokens: new IssuedTokens({ clock, env: {}, timeoutMs: 1_000 }),
    log: new TestLog(),
    env,
    ...defaultLimits,
  });
  const request = { repository: { url: repository.url }, source: { repoURL: repository.url } };
  const open = async () => {
    const { revision } = await git.resolve({ ...request, noRevisionCache: true }, noSignal);
    return git.tree({ ...request, revision }, noSignal);
  };
  return {
    repository,
    open,
    [Symbol.dispose]() {
      git[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("ids are those of a commit with the same files", async () => {
  using trees = await openTrees();
  const overlay = await OverlayTree.of(await trees.open(), changes);
  const { repository } = trees;
  repository.commit({
    "apps/web/a.yaml": "new\n",
    "apps/web/new/deep.sh": "#!/bin/sh\n",
    "apps/old/x.yaml": undefined,
    "apps/web-two": { link: "web" },
  });
  repository.git("update-index", "--chmod=+x", "apps/web/new/deep.sh");
  repository.git("commit", "--quiet", "-m", "Mode");
  const committed = await trees.open();
  assert.deepEqual(await overlay.entry(""), await committed.entry(""));
  assert.deepEqual(await walk(overlay, ""), await walk(committed, ""));
});

test("a file that was removed is nowhere, and its empty directory is gone", async () => {
  using trees = await openTrees();
  const overlay = await OverlayTree.of(await trees.open(), changes);
  assert.equal(await overlay.entry("apps/old/x.yaml"), undefined);
  assert.equal(await overlay.entry("apps/old"), undefined);
  assert.deepEqual(
    (await overlay.list("apps")).map(({ name }) => name),
    ["web", "web-two", "web.txt"],
  );
});

test("content is that of the change, and of the base where nothing changed", async () => {
  using trees = await openTrees();
  const overlay = await OverlayTree.of(await trees.open(), changes);
  const text = async (path: string) => {
    const entry = await overlay.entry(path);
    return entry && (await overlay.read(entry)).toString();
  };
  assert.equal(await text("apps/web/a.yaml"), "new\n");
  assert.equal(await text("apps/web/b.yaml"), "b\n");
});

test("a file in the place of a directory hides what was below it", async () => {
  using trees = await openTrees();
  const flat: FileChange = { path: "apps/web", kind: "file", data: Buffer.from("flat") };
  const overlay = await OverlayTree.of(await trees.open(), [flat]);
  assert.equal(await overlay.entry("apps/web/a.yaml"), undefined);
  assert.deepEqual(await overlay.list("apps/web"), []);
  assert.equal((await overlay.entry("apps/web"))?.kind, "file");
});
