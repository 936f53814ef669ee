import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as standIn from "./left-out.ts";

test("capstan-cli has a stand-in for each name that the commands take of a program's module", async () => {
  const text = await readFile(join(import.meta.dirname, "commands.ts"), "utf8");
  const names = [...text.matchAll(/\(await import\("[^"]+"\)\)\.(\w+)/g)].map(([, name = ""]) => name);
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => !Object.hasOwn(standIn, name)),
    [],
  );
});
