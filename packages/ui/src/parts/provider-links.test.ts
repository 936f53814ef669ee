import assert from "node:assert/strict";
import { test } from "node:test";
import { commitLink, compareLink } from "./provider-links.ts";

const [a, b] = ["a".repeat(40), "b".repeat(40)];

test("commits and what lies between them lead to the provider's pages, however git reaches them", () => {
  for (const [repository, link] of [
    ["https://github.com/acme/web.git", `https://github.com/acme/web/commit/${a}`],
    ["git@github.com:acme/web.git", `https://github.com/acme/web/commit/${a}`],
    ["ssh://git@gitlab.example.com:2222/acme/web.git", `https://gitlab.example.com/acme/web/-/commit/${a}`],
    ["https://me:secret@gitlab.com/acme/team/web/", `https://gitlab.com/acme/team/web/-/commit/${a}`],
    ["https://bitbucket.org/acme/web", `https://bitbucket.org/acme/web/commits/${a}`],
    ["https://codeberg.org/acme/web", `https://codeberg.org/acme/web/commit/${a}`],
  ] as const)
    assert.equal(commitLink(repository, a), link);
  assert.equal(
    compareLink("https://github.com/acme/web", a, b),
    `https://github.com/acme/web/compare/${a}...${b}`,
  );
});

test("what is no commit, or lies where nobody knows the pages, has no link", () => {
  for (const [repository, revision] of [
    ["https://git.example.com/acme/web", a],
    ["https://github.com.evil.example/acme/web", "v1"],
    ["file:///srv/git/web", a],
    ["javascript:alert(1)//github.com/x", a],
    ["https://notgithub.example/acme/web", a],
  ] as const)
    assert.equal(commitLink(repository, revision), undefined, repository);
  assert.equal(compareLink("https://github.com/acme/web", a, a), undefined);
});
