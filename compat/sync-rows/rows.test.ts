import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lackOf, readRows, root } from "./read-rows.ts";
import { readSpec } from "./read-spec.ts";

const rows = readRows();
const named = ({ section, digest, rule }: { section: string; digest: string; rule?: string }): string =>
  [section, digest, rule].filter(Boolean).join(" ");

test("each rule of Argo CD's syncing names tests that are there, and pages that say what differs", () => {
  const lacking = rows.flatMap((row) => {
    const lack = lackOf(row);
    return lack === undefined ? [] : [`${named(row)}: ${lack}`];
  });
  assert.deepEqual(lacking, []);
});

const page = join(root, "../shared/spec/argocd-sync.md");
const skip = existsSync(page) ? false : `${page} is absent: whether each rule has a row is not looked at`;

test("each rule of Argo CD's syncing has a row, in its section", { skip }, () => {
  const spec = readSpec(readFileSync(page, "utf8"));
  const place = ({ section, digest }: { section: string; digest: string }) => `${section} ${digest}`;
  assert.deepEqual(rows.map(place), spec.map(place));
  assert.ok(spec.length > 150, "rows are not found");
});

test("a row that names nothing, a test that is gone or words that nobody says is told", () => {
  const [row] = readRows("## 1\nabcdef a rule\n");
  assert.ok(row);
  assert.equal(lackOf(row), "nothing shows it");
  const file = "compat/sync-rows/operations.test.ts";
  assert.match(lackOf({ ...row, tests: [{ file, name: "it was here once" }] }) ?? "", /has no test/);
  const pages = [{ page: "docs/syncing.md", words: "what nobody ever said" }];
  assert.match(lackOf({ ...row, pages }) ?? "", /does not say/);
});
