import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { bundleTests } from "./bundle-tests.ts";

const home = process.cwd();
const dir = mkdtempSync(join(tmpdir(), "capstan-bundle-"));
process.chdir(dir);
after(() => {
  process.chdir(home);
  rmSync(dir, { recursive: true, force: true });
});

test("an error that no test catches fails the files of its process, and is shown with its place", () => {
  const files = ["packages/a/src/fine.test.ts", "packages/a/src/late.test.ts"];
  const [fine = "", late = ""] = files;
  mkdirSync(dirname(fine), { recursive: true });
  const begin = 'import { test } from "node:test";\n';
  writeFileSync(fine, `${begin}test("fine", () => undefined);\n`);
  const wait = "new Promise((resolve) => setTimeout(resolve, 50))";
  for (const [what, word] of [
    ["setTimeout(() => { throw new Error('thrown') })", "thrown"],
    ["Promise.reject(new Error('rejected'))", "rejected"],
  ]) {
    writeFileSync(late, `${begin}test("late", async () => { void ${what}; await ${wait}; });\n`);
    const [made = "", ...more] = bundleTests(files, { folder: "made", together: 9, areHookedAlone: false });
    assert.deepEqual(more, []);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ["--test", made], { encoding: "utf8", env });
    assert.equal(status, 1, stdout);
    assert.match(stdout, new RegExp(`Error: ${word}\\n[^]*late\\.test\\.ts:2`));
    assert.match(stdout, /✔ fine/);
  }
});
