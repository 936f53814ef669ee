import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { annotationKeys } from "../annotations.ts";
import type { Manifest } from "../manifest.ts";
import { objectSyncOptions, readSyncOptions } from "./read-sync-options.ts";
import { syncOptionProblem } from "./sync-option-problem.ts";
import { syncOptionList } from "./sync-option-records.ts";
import { withSyncOption, writableSyncOptions } from "./write-sync-options.ts";

const saying = (options: string): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "one", annotations: { [annotationKeys.syncOptions]: options } },
});

test("nothing said: the defaults", () => {
  assert.deepEqual(readSyncOptions(JSON.parse("null")), readSyncOptions(undefined));
  const { serverSideApply, validate, prune, createNamespace, prunePropagationPolicy } =
    readSyncOptions(undefined);
  assert.deepEqual(
    { serverSideApply, validate, prune, createNamespace, prunePropagationPolicy },
    {
      serverSideApply: true,
      validate: true,
      prune: "permitted",
      createNamespace: false,
      prunePropagationPolicy: "Foreground",
    },
  );
});

test("only exact texts count, blanks around them left out", () => {
  const { replace, pruneLast } = readSyncOptions(["Replace=True", " PruneLast=true "]);
  assert.deepEqual([replace, pruneLast], [false, true]);
});

test("an object's annotation wins over the list, in either direction", () => {
  const general = readSyncOptions(["Prune=false", "ServerSideApply=true"]);
  const own = objectSyncOptions(general, saying("Prune=true, ServerSideApply=false"));
  assert.deepEqual([own.prune, own.serverSideApply], ["permitted", false]);
  assert.equal(objectSyncOptions(general, saying("Prune=confirm")).prune, "confirmed");
});

test("an option counts only where it may be said", () => {
  assert.equal(readSyncOptions(["Force=true"]).force, false);
  const own = objectSyncOptions(readSyncOptions([]), saying("Force=true,CreateNamespace=true"));
  assert.deepEqual([own.force, own.createNamespace], [true, false]);
});

test("Replace and Force also count on the live object, and git's word wins", () => {
  const general = readSyncOptions([]);
  const live = saying("Replace=true,Force=true,Validate=false");
  const { replace, force, validate } = objectSyncOptions(general, undefined, live);
  assert.deepEqual([replace, force, validate], [true, true, true]);
  assert.equal(objectSyncOptions(general, saying("Replace=false"), live).replace, false);
});

test("a text without effect is told with what to write", () => {
  assert.equal(syncOptionProblem("Prune=false", "application"), undefined);
  assert.match(syncOptionProblem("Prunes=false", "object") ?? "", /did you mean Prune\?/);
  assert.match(syncOptionProblem("Replace", "object") ?? "", /write Replace=true or Replace=false/);
  assert.match(syncOptionProblem("Force=true", "application") ?? "", /only as an annotation/);
  assert.match(syncOptionProblem("CreateNamespace=true", "object") ?? "", /application's own list/);
});

test("every text that may be written is without a problem, and decides something", () => {
  for (const place of ["application", "object"] as const)
    for (const text of writableSyncOptions(place))
      assert.equal(syncOptionProblem(text, place), undefined, text);
  for (const [name, { values, byDefault }] of syncOptionList)
    assert.ok(Object.hasOwn(values, byDefault), name);
});

test("nobody else writes or compares an option as text", () => {
  const root = join(import.meta.dirname, "..", "..", "..", "..");
  const names = syncOptionList.map(([name]) => name).join("|");
  const text = new RegExp(`["'\`](?:${names})=`);
  const files = globSync("{packages,plugins}/*/src/**/*.{ts,tsx}", { cwd: root }).filter(
    (file) => !/\.test\.ts|testdata|^packages\/(model\/src\/sync-options|testkit|cluster)\//.test(file),
  );
  assert.ok(files.length > 300);
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .filter((line) => text.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(found, []);
});

test("an option is set in a list without touching others", () => {
  assert.deepEqual(withSyncOption(["Prune=false", "Replace=true", "x"], "Replace", false), [
    "Prune=false",
    "x",
    "Replace=false",
  ]);
});
