import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "./table.ts";

test("columns are as wide as their widest cell and two more, the last as it is", () => {
  const text = formatTable([
    ["NAME", "STATUS", "MESSAGE"],
    ["a-long-name", "Synced", ""],
    ["b", "", "all is well"],
  ]);
  assert.equal(
    text,
    "NAME         STATUS  MESSAGE\na-long-name  Synced  \nb                    all is well\n",
  );
});

test("colours do not count for the width", () => {
  const text = formatTable([
    ["\x1b[32mok\x1b[39m", "x"],
    ["long", "y"],
  ]);
  assert.equal(text, "\x1b[32mok\x1b[39m    x\nlong  y\n");
});
