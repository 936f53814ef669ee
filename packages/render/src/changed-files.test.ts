import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGitRepository, type GitRepository, realClock } from "@capstan/testkit";
import { failsWith } from "@capstan/testkit/render-world";
import type { RepoServer } from "@capstan/wire";
import { createRepoServer } from "./repo-server.ts";

let git: GitRepository;
let repo: RepoServer & AsyncDisposable;
let dataDir: string;
let first: string;

before(async () => {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  dataDir = await mkdtemp(join(tmpdir(), "capstan-changed-"));
  git = await createGitRepository({
    "apps/one/a.yaml": "1",
    "apps/one/b.yaml": "1",
    "apps/two/a.yaml": "1",
    "apps/gone/deep/a.yaml": "1",
    "becomes/file/a.yaml": "1",
    "becomes-folder": "1",
  });
  first = await git.git("rev-parse", "HEAD");
  repo = await createRepoServer({ dataDir, clock: realClock, log, plugins: [], env: process.env });
});
after(async () => {
  await repo[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const since = (commit: string, revision?: string) =>
  repo.changedFiles(
    {
      repository: { url: git.url },
      source: { repoURL: git.url, targetRevision: "main" },
      since: commit,
      ...(revision ? { revision } : {}),
    },
    AbortSignal.timeout(60_000),
  );

test("files that came, went or changed since a commit, a folder that a file took the place of among them", async () => {
  assert.deepEqual(await since(first), { revision: first, files: [] });
  const revision = await git.commit({
    "apps/one/b.yaml": "2",
    "apps/three/new.yaml": "1",
    "apps/gone": undefined,
    becomes: undefined,
    "becomes-folder": undefined,
  });
  await chmod(join(git.dir, "apps/two/a.yaml"), 0o755);
  const last = await git.commit({ becomes: "1", "becomes-folder/a.yaml": "1" });
  repo.forgetRevisions(git.url);
  const { files = [], ...found } = await since(first);
  assert.deepEqual(found, { revision: last });
  const expected = [
    "apps/gone/deep/a.yaml",
    "apps/one/b.yaml",
    "apps/three/new.yaml",
    "apps/two/a.yaml",
    "becomes",
    "becomes-folder",
    "becomes-folder/a.yaml",
    "becomes/file/a.yaml",
  ];
  assert.deepEqual(files.toSorted(), expected);
  const byGit = await git.git("diff", "--name-only", "--no-renames", first, last);
  assert.deepEqual(files.toSorted(), byGit.split("\n").toSorted());
  assert.deepEqual((await since(revision, first)).revision, first);
});

test("of a folder that holds itself again and again nobody counts the files", async () => {
  const write = (args: readonly string[], input: string) =>
    execFileSync("git", args, { cwd: git.dir, input, encoding: "utf8" }).trim();
  const commitOf = (content: string) => {
    let below = `100644 blob ${write(["hash-object", "-w", "--stdin"], content)}`;
    for (let level = 0; level < 12; level += 1) {
      const lines = Array.from({ length: 10 }, (_, index) => `${below}\t${index}`);
      below = `040000 tree ${write(["mktree"], `${lines.join("\n")}\n`)}`;
    }
    const root = write(["mktree"], `${below}\tbomb\n`);
    return git.git("commit-tree", root, "-m", "bomb");
  };
  const [one, other] = [await commitOf("1"), await commitOf("2")];
  await git.git("branch", "one", one);
  await git.git("branch", "other", other);
  assert.deepEqual(await since(one, other), { revision: other });
});

test("of a folder far deeper than any path nobody counts the files", async () => {
  const env = { ...process.env, GIT_INDEX_FILE: join(dataDir, "index") };
  const write = (args: readonly string[], input = "") =>
    execFileSync("git", args, { cwd: git.dir, env, input, encoding: "utf8" }).trim();
  const commitOf = (content: string) => {
    const blob = write(["hash-object", "-w", "--stdin"], content);
    write(["update-index", "--index-info"], `100644 ${blob}\t${`${"d".repeat(250)}/`.repeat(20)}file\n`);
    return git.git("commit-tree", write(["write-tree"]), "-m", "deep");
  };
  const [one, other] = [await commitOf("1"), await commitOf("2")];
  await git.git("branch", "deep-one", one);
  await git.git("branch", "deep-other", other);
  assert.deepEqual(await since(one, other), { revision: other });
});

test("an earlier commit that is nowhere is refused", async () => {
  await assert.rejects(since("f".repeat(40)), /ffffffff/);
});

test("what an Application's status names as its commit is a revision and nothing else to git", async () => {
  const refs = async () =>
    (await readdir(dataDir, { recursive: true })).filter((name) => /refs\/./.test(name));
  const before = await refs();
  for (const claimed of [
    "+refs/heads/*",
    "main:refs/capstan/x",
    "--all",
    "main\nHEAD",
    `${first}:refs/heads/x`,
  ])
    await assert.rejects(since(claimed), failsWith({ code: "REVISION_MISSING" }));
  assert.deepEqual(await refs(), before);
});
