/** The real programs of kpt's catalog and the functions here, each as `kpt fn eval` runs it on the same package. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { evalKptFolder } from "@capstan/plugins";
import { type Files, lacking, realClock, realProgramPath } from "@capstan/testkit";
import { kptGaps } from "../known-gaps.ts";
import { type FunctionCase, functionCases } from "./function-cases.ts";
import { shopPackage } from "./shop-package.ts";

const programs = [...new Set(functionCases.map((one) => one.function))];
const skip = lacking(...programs.map((name) => `kpt-${name}`), "opa");
const searchPath = skip ? "" : `${dirname(realProgramPath("opa"))}:${process.env.PATH}`;
const everything = {
  ...{ apiVersion: "", kind: "", name: "", namespace: "" },
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
};

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

async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined || content === "") continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

async function readFiles(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.sort().map(async (path) => [path.slice(root.length + 1), await readFile(path, "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}

/** The catalog's main branch gives warnings that no published image of set-namespace gives (kpt's own e2e tests). */
const released = (results: string): string =>
  results.replace(
    /^ *- message: Resource\(.*\) does not have upstream origin\.\n *severity: warning\n/gm,
    "",
  );

/** What the package is afterwards, what the function said, and how it ended. */
async function evaluate(one: FunctionCase, call: { image: string; exec: string }) {
  const dir = await mkdtemp(join(top, "case-"));
  const root = join(dir, "shop");
  await writeFiles(root, { ...shopPackage, ...one.files });
  const { config = {} } = one;
  const isFile = typeof config === "string";
  if (typeof config === "string") await writeFile(join(dir, "config.yaml"), config);
  const request = {
    ...{ directory: root, output: "", resultsDir: join(dir, "results"), imagePrefix: undefined },
    ...{ allowExec: true, allowNetwork: false, tag: "", type: "mutator" as const, save: false },
    ...{ match: everything, exclude: everything, ...call },
    fnConfig: isFile ? join(dir, "config.yaml") : "",
    args: isFile ? [] : Object.entries(config).map(([key, value]) => `${key}=${value}`),
  };
  const said: string[] = [];
  const exitCode = await evalKptFolder(request, {
    ...{ clock: realClock, signal: AbortSignal.timeout(60_000), env: { PATH: searchPath } },
    ...{ out: () => undefined, err: (text: string) => void said.push(text), readInput: async () => "" },
  });
  const results = await readFile(join(dir, "results", "results.yaml"), "utf8").catch(() => said.join(""));
  const neutral = released(results).replace(/^( *)(- | {2})(image|exec): .*\n/gm, (_, indent, dash) =>
    dash === "- " ? `${indent}- ` : "",
  );
  return { exitCode, results: neutral, files: await readFiles(root) };
}

for (const one of functionCases) {
  const gap = kptGaps[one.name];
  test(one.name, { skip }, async (t) => {
    const exec = `${join(top, "as-container")} ${realProgramPath(`kpt-${one.function}`)}`;
    const real = await evaluate(one, { image: "", exec });
    const ours = await evaluate(one, { image: one.function, exec: "" });
    if (gap === undefined) return assert.deepEqual(ours, real);
    assert.notDeepEqual(ours, real, "agrees: strike it from compat/kpt/known-gaps.json");
    t.diagnostic(`differs: ${gap}`);
  });
}
