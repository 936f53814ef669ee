import assert from "node:assert/strict";
import { test } from "node:test";
import { columnClass, columns, columnTracks } from "./columns.ts";
import { readListView, sortKeys } from "./list-view.ts";

test("a column that a narrower page leaves out has no track there, and its cells say so", () => {
  const count = (tracks = "") => tracks.replaceAll(/\([^)]*\)/g, "").split(" ").length - 1;
  const tracks = columnTracks();
  const shown = (className: RegExp) => columns.filter(({ key }) => !className.test(columnClass(key))).length;
  assert.equal(count(tracks["--columns-wide"]), columns.length);
  assert.equal(count(tracks["--columns-middle"]), shown(/on-wide/));
  assert.equal(count(tracks["--columns-small"]), shown(/on-wide|on-middle/));
  assert.equal(columnClass("project"), "col-project on-wide");
});

test("the list can be sorted by each column", () => {
  for (const { key } of columns) assert.equal(readListView({ sort: key }).sort, key);
  assert.equal(sortKeys.length, columns.length + 1);
});
