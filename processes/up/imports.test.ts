import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parseSync } from "oxc-parser";

const top = join(import.meta.dirname, "..", "..");
/** Where what belongs to a repository is parsed, unpacked and rendered. */
const forbidden =
  /^packages\/(render|plugins)\/|^processes\/(repo-server|local-plugins|plugin-server\/serve-plugins)\.ts$/;

/** Files that are loaded with this one, or later by it; what is imported for its types is not loaded. */
async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(join(top, file), "utf8");
  const { module } = parseSync(file, text);
  const names = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest && !isType) names.push(moduleRequest.value);
  for (const { moduleRequest } of module.dynamicImports)
    names.push(text.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""));
  return names.map((name) => fileOf(name, dirname(file))).filter((name) => name !== undefined);
}

function fileOf(name: string, folder: string): string | undefined {
  if (name.startsWith(".")) return join(folder, name);
  const [, folderName, door = "index"] = /^@capstan\/([^/]+)(?:\/(.+))?$/.exec(name) ?? [];
  return folderName && join("packages", folderName, "src", `${door}.ts`);
}

test("the process of up loads nothing that parses, unpacks or renders what is in a repository", async () => {
  const cameFrom = new Map([["processes/up.ts", ""]]);
  for (const file of cameFrom.keys())
    for (const next of await importsOf(file)) if (!cameFrom.has(next)) cameFrom.set(next, file);
  assert.ok(cameFrom.size > 200, "the walk reaches the whole");
  const wrong = [...cameFrom].filter(([file]) => forbidden.test(file));
  assert.deepEqual(wrong, []);
});
