import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { createContext, Script } from "node:vm";
import { PageScripts } from "./page-scripts.ts";

let top: string;
let folder: string;
let now = 0;
const warned: string[] = [];
const needs = {
  clock: { now: () => now, sleep: async () => undefined },
  log: { warn: (facts: object) => void warned.push(JSON.stringify(facts)) },
};

before(async () => {
  top = await mkdtemp(join(tmpdir(), "capstan-scripts-"));
  folder = join(top, "extensions");
});
after(() => rm(top, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** What the page would have after it ran them. */
function run(text: string | undefined): { ran: string[]; failed: string[] } {
  const ran: string[] = [];
  const failed: string[] = [];
  const api = { failed: (path: string, error: Error) => failed.push(`${path}: ${error.name}`) };
  const context = createContext({ window: { extensionsAPI: api }, ran });
  new Script(text ?? "").runInContext(context);
  return { ran, failed };
}

test("a folder that is not there has no scripts, and scripts that come later are found", async () => {
  const scripts = new PageScripts(folder, needs);
  assert.equal(scripts.text, undefined);
  await write("resources/one/extension-one.js", `ran.push("one")`);
  assert.equal(scripts.text, undefined, "the folder is not looked at for each that asks");
  now += 5_000;
  assert.deepEqual(run(scripts.text), { ran: ["one"], failed: [] });
  assert.equal(new PageScripts(undefined, needs).text, undefined);
});

test("what one throws, and what is no JavaScript, is told by its name and stops no other", async () => {
  await write("a/extension-throws.js", `ran.push("a"); throw new RangeError("of mine")`);
  await write("b/extension.js", "function ( {");
  await write("c/extension-escapes.js", `} finally {} ran.push("c"); try {`);
  await write("d/extension'\".js", `ran.push("d") // the end`);
  await write("e/other.js", `ran.push("e")`);
  const { ran, failed } = run(new PageScripts(folder, needs).text);
  assert.deepEqual(ran, ["a", "d", "one"]);
  assert.deepEqual(failed, [
    "a/extension-throws.js: RangeError",
    "b/extension.js: SyntaxError",
    "c/extension-escapes.js: SyntaxError",
  ]);
});

test("no link is followed: neither of a file nor of a folder, out of it or within", async () => {
  await writeFile(join(top, "extension-outside.js"), `ran.push("outside")`);
  await mkdir(join(top, "elsewhere"));
  await rename(join(top, "extension-outside.js"), join(top, "elsewhere", "extension-outside.js"));
  await symlink(join(top, "elsewhere", "extension-outside.js"), join(folder, "extension-link.js"));
  await symlink("../elsewhere", join(folder, "extension-folder.js"));
  await symlink("../elsewhere", join(folder, "linked"));
  await symlink("d", join(folder, "within"));
  assert.deepEqual(run(new PageScripts(folder, needs).text).ran, ["a", "d", "one"]);
});

test("a folder that is too much gives none of its scripts, and the log says why", async () => {
  for (let count = 0; count <= 64; count++) await write(`many/extension-${count}.js`, "");
  assert.equal(new PageScripts(folder, needs).text, undefined);
  assert.match(warned.at(-1) ?? "", /more than 64 scripts/);
  await rm(join(folder, "many"), { recursive: true });
  await write("extension-large.js", " ".repeat(8 * 2 ** 20 + 1));
  assert.equal(new PageScripts(folder, needs).text, undefined);
  assert.match(warned.at(-1) ?? "", /extension-large\.js/);
});
