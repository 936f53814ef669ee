/** The real programs of kpt's catalog and the functions here, each as `kpt fn eval` runs it on the same package. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { lacking, realProgramPath } from "@capstan/testkit";
import { kptGaps } from "../known-gaps.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { functionCases } from "./function-cases.ts";

const programs = [...new Set(functionCases.map((one) => one.function))];
const skip = lacking(...programs.map((name) => `kpt-${name}`), "opa");
const env = { PATH: skip ? "" : `${dirname(realProgramPath("opa"))}:${process.env.PATH}` };

/** kpt leaves out the end of the last line that a container tells, and keeps that of a program. */
const asContainer = `#!/bin/sh
exec 3>&1
told=$("$@" 2>&1 1>&3 3>&-)
code=$?
printf %s "$told" >&2
exit $code
`;

let top = "";
before(async () => {
  top = await mkdtemp(join(tmpdir(), "capstan-kpt-functions-"));
  await writeFile(join(top, "as-container"), asContainer, { mode: 0o755 });
});
after(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));

for (const one of functionCases) {
  const gap = kptGaps[one.name];
  test(one.name, { skip }, async (t) => {
    const exec = `${join(top, "as-container")} ${realProgramPath(`kpt-${one.function}`)}`;
    const real = await evaluateCase(one, { top, env, image: "", exec });
    const ours = await evaluateCase(one, { top, env, image: one.function, exec: "" });
    if (gap === undefined) return assert.deepEqual(ours, real);
    assert.notDeepEqual(ours, real, "agrees: strike it from compat/kpt/known-gaps.json");
    t.diagnostic(`differs: ${gap}`);
  });
}
