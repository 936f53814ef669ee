import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { ownFiles } from "./own-files.ts";

test("every folder of workspaces is among the own files: a confined repo server loads its plugins from there", () => {
  const root = join(import.meta.dirname, "..");
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    workspaces: string[];
  };
  const names = ownFiles.map((file) => basename(file));
  assert.deepEqual([...new Set(ownFiles.map(dirname))], [root]);
  for (const place of workspaces) assert.ok(names.includes(place.split("/")[0] ?? ""), place);
});
