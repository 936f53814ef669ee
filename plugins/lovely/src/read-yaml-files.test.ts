import assert from "node:assert/strict";
import { test } from "node:test";
import { joinFiles } from "./read-yaml-files.ts";

test("files are joined as commands of lovely get them", () => {
  const joined = (...texts: string[]) => joinFiles(texts.map((text, at) => ({ path: `${at}.yaml`, text })));
  assert.equal(joined("a: 1\n", "b: 2", "c: 3"), "---\na: 1\n---\nb: 2\n---\nc: 3");
  assert.equal(joined("", "---\na: 1\n"), "---\n---\n---\na: 1\n");
});
