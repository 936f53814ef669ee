import assert from "node:assert/strict";
import { test } from "node:test";
import { folderOf } from "./folder-of.ts";

test("what git opens on this machine is told from what it fetches", () => {
  const local = ["file:///srv/x", "FILE:///srv/x", "/srv/x", "srv/x", "./a:b", "file:///srv/%78", "x"];
  assert.deepEqual(local.map(folderOf), ["/srv/x", "/srv/x", "/srv/x", "srv/x", "./a:b", "/srv/x", "x"]);
  for (const url of ["https://a.example/x", "git@a.example:x", "a.example:x/y", "ssh://a/x", "fd::0"])
    assert.equal(folderOf(url), undefined, url);
});
