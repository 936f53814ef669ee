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
    const [made = "", ...more] = bundleTests(files, { folder: "made", together: 9 });
    assert.deepEqual(more, []);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ["--test", made], { encoding: "utf8", env });
    assert.equal(status, 1, stdout);
    assert.match(stdout, new RegExp(`Error: ${word}\\n[^]*late\\.test\\.ts:2`));
    assert.match(stdout, /✔ fine/);
  }
});

test("what a file opens for all its tests is closed after them, also where all before it are skipped", () => {
  const [early, late] = ["packages/b/src/early.test.ts", "packages/b/src/late.test.ts"];
  mkdirSync(dirname(early), { recursive: true });
  const wait = (ms: number) => `new Promise((resolve) => setTimeout(resolve, ${ms}))`;
  writeFileSync(
    early,
    `import { after, test } from "node:test";\nafter(() => ${wait(500)});\ntest.skip("early");\n`,
  );
  // Read while the other's hook goes on, and opened after it.
  writeFileSync(
    late,
    `import { createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
await ${wait(200)};
let server: Server | undefined;
before(async () => {
  await ${wait(1_000)};
  server = createServer().listen(0, "127.0.0.1");
});
after(() => void server?.close());
test("late", () => {});
`,
  );
  const [made = ""] = bundleTests([early, late], { folder: "made", together: 9 });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const held = { encoding: "utf8", env, timeout: 20_000 } as const;
  const { status, stdout } = spawnSync(process.execPath, ["--test", made], held);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /✔ late/);
});

test("hooks of a file are of its own tests where such files share a process", () => {
  const files = ["packages/c/src/one.test.ts", "packages/c/src/other.test.ts"];
  mkdirSync(dirname(files[0] ?? ""), { recursive: true });
  for (const [index, file] of files.entries())
    writeFileSync(
      file,
      `import { after, before, test } from "node:test";
before(() => { console.log("opened ${index}"); });
after(() => { console.log("closed ${index}"); });
test("a test", () => { console.log("played ${index}"); });
test("another", () => { console.log("played ${index}"); if (${index} === 1) throw new Error("as it should"); });
`,
    );
  const made = bundleTests(files, { folder: "made", together: 9 });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test", ...made], { encoding: "utf8", env });
  assert.equal(made.length, 1);
  assert.equal(status, 1, stdout);
  const steps = stdout.split("\n").filter((line) => /^(opened|played|closed) /.test(line));
  const of = (index: number) => [`opened ${index}`, `played ${index}`, `played ${index}`, `closed ${index}`];
  assert.deepEqual(steps, [...of(0), ...of(1)]);
  assert.match(stdout, /✖ packages\/c\/src\/other\.test\.ts/);
  assert.match(stdout, /✔ packages\/c\/src\/one\.test\.ts/);
});
