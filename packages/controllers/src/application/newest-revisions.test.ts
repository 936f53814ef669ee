import assert from "node:assert/strict";
import { test } from "node:test";
import { NewestRevisions } from "./newest-revisions.ts";

const main = { repoURL: "https://git.test/one", targetRevision: "main" };
const other = { repoURL: "https://git.test/one", targetRevision: "other" };
const seen = (revision: string, askedAt: number, { source = main, project = "default" } = {}) => ({
  project,
  sources: [source],
  revisions: [revision],
  askedAt: [askedAt],
});

test("who follows the same branch is behind once one has seen a newer commit, and nobody else", () => {
  const newest = new NewestRevisions();
  for (const app of ["a", "b"]) assert.equal(newest.saw(app, seen("1", 10)).size, 0);
  assert.equal(newest.saw("c", seen("1", 10, { source: other })).size, 0);
  assert.equal(newest.saw("d", seen("1", 10, { project: "team" })).size, 0);
  assert.deepEqual([...newest.saw("a", seen("2", 20))], [["b", 20]]);
  assert.equal(newest.saw("b", seen("2", 20)).size, 0);
});

test("an answer that was asked for earlier makes only its own application look again", () => {
  const newest = new NewestRevisions();
  newest.saw("a", seen("2", 20));
  assert.deepEqual([...newest.saw("b", seen("1", 10))], [["b", 20]]);
  assert.equal(newest.saw("b", seen("2", 20)).size, 0);
});

test("who is gone or follows something else is not behind", () => {
  const newest = new NewestRevisions();
  for (const app of ["a", "b", "c"]) newest.saw(app, seen("1", 10));
  newest.forget("b");
  newest.saw("c", seen("1", 15, { source: other }));
  assert.equal(newest.saw("a", seen("2", 20)).size, 0);
});
