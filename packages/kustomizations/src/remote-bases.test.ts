import assert from "node:assert/strict";
import { test } from "node:test";
import { repositoryOf } from "./remote-bases.ts";

for (const [address, repository] of [
  ["https://git.example/org/repo", "https://git.example/org/repo"],
  ["https://git.example/org/repo/base?ref=v1", "https://git.example/org/repo"],
  ["https://git.example/org/repo.git/base?ref=v1", "https://git.example/org/repo.git"],
  ["https://git.example/a/b/c//base?ref=v1", "https://git.example/a/b/c"],
  ["http://127.0.0.1:8080/base.git//sub", "http://127.0.0.1:8080/base.git"],
  ["git::https://git.example/org/repo//x", "https://git.example/org/repo"],
  ["github.com/org/repo//x?ref=main", "https://github.com/org/repo"],
  ["github.com/org/repo/x", "https://github.com/org/repo"],
  ["git@git.example:org/repo//x", "git@git.example:org/repo"],
  ["git@git.example:org/repo.git", "git@git.example:org/repo.git"],
  ["ssh://git@git.example:2222/org/repo.git/x", "ssh://git@git.example:2222/org/repo.git"],
] as const)
  test(`${address} is in ${repository}`, () => assert.equal(repositoryOf(address), repository));
