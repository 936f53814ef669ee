import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseUrl, repositoryKey } from "./repository-url.ts";

test("ways of writing one repository come to one text", () => {
  for (const url of ["https://GitHub.com/Argoproj/argo-cd.git", " https://github.com/argoproj/argo-cd/ "])
    assert.equal(normaliseUrl(url), "https://github.com/argoproj/argo-cd");
  assert.equal(normaliseUrl("git@github.com:argoproj/argo-cd.git"), "ssh://git@github.com/argoproj/argo-cd");
  assert.equal(normaliseUrl("file:///Srv/Repo.git"), "file:///Srv/Repo");
});

test("https, ssh and scp forms have one key", () => {
  const key = "github.com/argoproj/argo-cd";
  for (const url of [
    "https://ada:secret@github.com/argoproj/argo-cd",
    "ssh://git@github.com/argoproj/argo-cd.git",
    "git@github.com:argoproj/argo-cd",
  ])
    assert.equal(repositoryKey(url), key);
});
