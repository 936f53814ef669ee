import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { commitFiles } from "./commit-files.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";

const noPrograms = mkdtempSync(join(tmpdir(), "capstan-no-programs-"));
process.once("exit", () => rmSync(noPrograms, { recursive: true, force: true }));

const person = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_AUTHOR_DATE: "2026-02-03T04:05:06Z",
  GIT_COMMITTER_NAME: "Bob",
  GIT_COMMITTER_EMAIL: "bob@example.com",
  GIT_COMMITTER_DATE: "2026-02-03T04:05:07Z",
};
const withGit = {
  ...person,
  PATH: process.env.PATH ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

async function sample(): Promise<GitRepository> {
  const repository = await createGitRepository();
  const { dir } = repository;
  const files = {
    "a/b": "1",
    "a-b": "2",
    "a.b": "3",
    ab: "",
    "ä/ö/ü": "4",
    [`long/${"x".repeat(200)}`]: "5",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  writeFileSync(join(dir, "a", "run"), "#!/bin/sh\n");
  chmodSync(join(dir, "a", "run"), 0o755);
  symlinkSync("../elsewhere", join(dir, "a", "link"));
  return repository;
}

test("a commit that no program makes is git's to the letter, and git goes on from it", async () => {
  await using ours = await sample();
  await using theirs = await sample();
  const commit = (message: string): string => {
    const made = commitFiles(ours.dir, message, { ...person, PATH: noPrograms });
    const script = 'git add --all && git commit --quiet --allow-empty --message="$1" && git rev-parse HEAD';
    const args = ["-c", script, "sh", message];
    const expected = execFileSync("sh", args, { cwd: theirs.dir, env: withGit, encoding: "utf8" });
    assert.equal(`${made}\n`, expected);
    return made;
  };
  const first = commit("first");
  assert.equal(await ours.git("status", "--porcelain"), "");
  for (const { dir } of [ours, theirs]) {
    rmSync(join(dir, "a"), { recursive: true });
    writeFileSync(join(dir, "a"), "a file now");
  }
  commit("two\n\nand why");
  commit("nothing changed");
  assert.equal(await ours.git("status", "--porcelain"), "");
  assert.equal(await ours.git("fsck", "--strict", "--no-progress"), "");
  assert.equal(await ours.git("rev-parse", "HEAD~2"), first);
  await ours.git("rm", "--quiet", "ab");
  assert.equal(await ours.git("status", "--porcelain"), "D  ab");
});

test("what asks for more than files and links is git's", async () => {
  const cases: Record<string, (repository: GitRepository) => unknown> = {
    "a file that is ignored": ({ dir }) => writeFileSync(join(dir, ".gitignore"), "a\n"),
    "a repository inside": ({ dir }) => execFileSync("git", ["init", "--quiet", join(dir, "inside")]),
    "a setting": ({ git }) => git("config", "core.autocrlf", "true"),
    "a message that git tidies": () => undefined,
    "a commit without a branch": ({ git }) => git("checkout", "--quiet", "--detach"),
  };
  for (const [name, prepare] of Object.entries(cases)) {
    await using repository = await createGitRepository({ file: "1" });
    await prepare(repository);
    const message = name === "a message that git tidies" ? "some  \ntext\n" : name;
    assert.throws(() => commitFiles(repository.dir, message, { PATH: noPrograms }), { code: "ENOENT" }, name);
    if (name === "a repository inside") continue;
    assert.equal(commitFiles(repository.dir, message, withGit), await repository.git("rev-parse", "HEAD"));
  }
});
