import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { judgeFolder } from "./judge-folder.ts";

test("the places of a repository are what git reads for it, and nothing where it sends git elsewhere", async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "folders-")));
  t.after(() => rmSync(base, { recursive: true }));
  const at = (path: string) => join(base, path);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]) => execFileSync("git", ["-C", base, ...args], { env, stdio: "ignore" });
  const person = ["-c", "user.name=t", "-c", "user.email=t@t.example"];
  git("init", "-q", "whole");
  git("-C", "whole", ...person, "commit", "-q", "--allow-empty", "-m", "one");
  git("clone", "-q", "--shared", "--bare", "whole", "borrower");
  git("-C", "whole", "worktree", "add", "-q", at("tree"));
  const places = async (name: string) => {
    const everything = { listed: [], isOwnPermitted: true, closed: [], open: [] };
    return [...(await judgeFolder(at(name), everything)).places].sort();
  };
  assert.deepEqual(await places("whole"), [at("whole")]);
  assert.deepEqual(await places("borrower"), [at("borrower"), at("whole/.git/objects")]);
  assert.deepEqual(await places("tree"), [at("tree"), at("whole/.git")]);
  assert.deepEqual(await places("missing"), []);

  mkdirSync(at("home/keys"), { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(join(at(path), ".."), { recursive: true });
    writeFileSync(at(path), text);
  };
  write("pointer/.git", `gitdir: ${at("home")}\n`);
  write("false-tree/.git", `gitdir: ${at("whole/.git/worktrees/tree")}\n`);
  write("committed/HEAD", "ref: refs/heads/main\n");
  write("committed/commondir", `${at("home")}\n`);
  write("false-borrower/HEAD", "ref: refs/heads/main\n");
  write("false-borrower/objects/info/alternates", `${at("home/keys")}\n`);
  for (const name of ["home", "pointer", "false-tree", "committed", "false-borrower"])
    assert.deepEqual(await places(name), [], name);
});
