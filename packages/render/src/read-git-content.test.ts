import assert from "node:assert/strict";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createGitRepository, type GitRepository, realClock } from "@capstan/testkit";
import type { GitContentRequest, RepoServer } from "@capstan/wire";
import { createRepoServer } from "./repo-server.ts";

let git: GitRepository;
let repo: RepoServer & AsyncDisposable;
let dataDir: string;

before(async () => {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  dataDir = await mkdtemp(join(tmpdir(), "capstan-content-"));
  git = await createGitRepository({
    "apps/one/x": "1",
    "apps/one/deep/x": "1",
    ".github/workflows/x": "1",
    "envs/a.yaml": "name: a\ncount: 3\n",
    "envs/list.json": '[{"name":"b"},null]',
    "envs/empty.yaml": "",
    "bad/text.yaml": "just text",
    "bad/broken.yaml": "a: [",
  });
  await symlink("../envs/a.yaml", join(git.dir, "apps/linked.yaml"));
  await symlink("/etc/passwd", join(git.dir, "bad/out.yaml"));
  await git.commit({ more: "1" });
  repo = await createRepoServer({ dataDir, clock: realClock, log, plugins: [], env: process.env });
});
after(async () => {
  await repo[Symbol.asyncDispose]();
  await git[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const ask = (of: Partial<GitContentRequest>) =>
  repo.readGitContent(
    { repository: { url: git.url }, source: { repoURL: git.url, targetRevision: "main" }, ...of },
    AbortSignal.timeout(60_000),
  );

test("directories that a pattern takes and none excludes; hidden ones only where that is said", async () => {
  assert.deepEqual((await ask({ directories: [{ path: "*" }] })).directories, ["apps", "bad", "envs"]);
  assert.deepEqual((await ask({ directories: [{ path: "apps/*/*" }] })).directories, ["apps/one/deep"]);
  const excluded = [{ path: "*" }, { path: "bad", exclude: true }];
  assert.deepEqual((await ask({ directories: excluded })).directories, ["apps", "envs"]);
  assert.deepEqual((await ask({ directories: [{ path: ".git*" }], hidden: true })).directories, [".github"]);
});

test("files are read as objects, lists of objects and nothing, and by links within the repository", async () => {
  assert.deepEqual((await ask({ files: [{ path: "envs" }, { path: "apps/*.yaml" }] })).files, [
    { path: "apps/linked.yaml", objects: [{ name: "a", count: 3 }] },
    { path: "envs/a.yaml", objects: [{ name: "a", count: 3 }] },
    { path: "envs/empty.yaml", objects: [{}] },
    { path: "envs/list.json", objects: [{ name: "b" }, {}] },
  ]);
});

test("what leads out of the repository, and what is no object, is refused with the file's name", async () => {
  await assert.rejects(ask({ files: [{ path: "bad/out.yaml" }] }), /bad\/out\.yaml/);
  await assert.rejects(
    ask({ files: [{ path: "../*" }, { path: "bad/text.yaml" }] }),
    /bad\/text\.yaml holds neither/,
  );
  await assert.rejects(ask({ files: [{ path: "bad/broken.yaml" }] }), /bad\/broken\.yaml cannot be read/);
  assert.deepEqual((await ask({ files: [{ path: "../../etc/*" }] })).files, []);
});
