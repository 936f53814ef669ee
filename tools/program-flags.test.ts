import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sourceFiles } from "./source-files.ts";

const run = promisify(execFile);
const flags = JSON.stringify(import.meta.resolve("@capstan/testkit/program-flags"));
const program = `/**
 * \`node made.ts [--apps 5]\`: counts applications.
 */
import { programFlags, wholeNumber } from ${flags};
const { values } = programFlags({ options: { apps: { type: "string" }, short: { type: "boolean" } } });
console.log(wholeNumber("apps", values.apps ?? "1"));
`;
const usage = "`node made.ts [--apps 5]`: counts applications.\n\nFlags: --apps …, --short, --help\n";

test("a program says its usage, and says it too where the call is wrong", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-program-"));
  const file = join(folder.path, "made.ts");
  await writeFile(file, program);
  const call = (...words: string[]) =>
    run(process.execPath, [file, ...words]).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  assert.deepEqual(await call("--help"), { code: 0, stdout: usage, stderr: "" });
  assert.deepEqual(await call("--apps", "7"), { code: 0, stdout: "7\n", stderr: "" });
  const unknown = await call("--nope");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^Unknown option '--nope'/);
  assert.ok(unknown.stderr.endsWith(usage), unknown.stderr);
  const stderr = `--apps x: it is a whole number from 1\n\n${usage}`;
  assert.deepEqual(await call("--apps", "x"), { code: 2, stdout: "", stderr });
});

test("programs of the repository read their flags so, and have a comment at their head", async () => {
  const reads = /\b(?:programFlags|onlyChecks|keepSections|runBench|readRandomRun)\(/;
  const own = ["tools/page-sections.ts", "bench/run.ts", "compat/real-peer.ts"];
  const files = sourceFiles().filter(
    (file) => /^(?:bench|compat|tools|testenv)\//.test(file) && !file.endsWith(".test.ts"),
  );
  const wrong: string[] = [];
  let programs = 0;
  for (const file of files) {
    const text = await readFile(join(import.meta.dirname, "..", file), "utf8");
    if (/\bparseArgs\b|argv\.includes/.test(text) && !own.includes(file)) wrong.push(file);
    if (!reads.test(text) || own.includes(file)) continue;
    programs += 1;
    if (!text.startsWith("/**")) wrong.push(file);
  }
  assert.deepEqual(
    wrong,
    [],
    "flags are read by @capstan/testkit/program-flags, which prints the comment at the head",
  );
  assert.ok(programs > 40, `${programs} were looked at`);
});
