/** Every case of kpt's and the catalog's own suites whose functions run here in process (../shared/compat/NOTICE.md). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { describeError } from "./describe-error.ts";
import { evalPackage } from "./eval-package.ts";
import type { KrmFunction } from "./function.ts";
import { printResultList, type ResultList } from "./function-results.ts";
import { withSchemas } from "./functions/catalog.ts";
import { printKptfile, readKptfile } from "./kptfile.ts";
import { isPackageFile } from "./package-tree.ts";
import { folderPolicies } from "./policy-tools.ts";
import { Progress } from "./progress.ts";
import { renderPackage } from "./render-package.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";
import type { RenderedFiles } from "./write-resources.ts";

const shared = join(import.meta.dirname, "../../../../shared/compat");
const suites = ["kpt-fn-render", "kpt-functions"];

/** Functions that do not run in process, with the reason. */
const opa = [join(import.meta.dirname, "../../../testenv/bin"), ...(process.env.PATH ?? "").split(":")].find(
  (folder) => existsSync(join(folder, "opa")),
);

const notHere: Readonly<Record<string, string>> = {
  ...(opa === undefined ? { gatekeeper: "opa is neither built (npm run testenv -- opa) nor on PATH" } : {}),
  dne: "the case is about an image that a container runtime cannot pull",
  "not-exist": "the case is about an image that a container runtime cannot pull",
};

interface Config {
  exitCode?: number;
  stdErr?: string;
  stdErrRegEx?: string;
  testType?: string;
  image?: string;
  args?: Record<string, string>;
  fnConfig?: string;
  diffStripRegEx?: string;
  actualStripLines?: string[];
  stdErrStripLines?: string[];
}

interface Outcome {
  exitCode: number;
  stderr: string;
  files: Map<string, string>;
  results: string;
}

/** As processes/ gives them to the plugin. */
const schemas = join(import.meta.dirname, "../../../packages/cluster/src/schema/data/definitions.json");
const definitions: Record<string, unknown> = JSON.parse(readFileSync(schemas, "utf8"));

const noOp: KrmFunction = () => undefined;

/** Takes all comments away, as kpt's own test function does; kpt gives them back. */
const dropComments: KrmFunction = ({ items }) => {
  const strip = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("head" in value) Object.assign(value, { head: "", line: "", foot: "" });
    for (const one of Object.values(value)) strip(one);
  };
  for (const item of items) strip(item.root);
  return undefined;
};

const resolve = functionResolver({
  catalog: new Map([
    ...withSchemas(() => definitions),
    ["no-op", { run: noOp, version: "0.1.0" }],
    ["drop-comments", { run: dropComments, version: "0.1.0" }],
  ]),
  imagePrefix: defaultImagePrefix,
});

function readTree(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const path = join(root, name);
    if (name.split("/").includes(".expected") || !statSync(path).isFile()) continue;
    files.set(name, readFileSync(path, "utf8"));
  }
  return files;
}

function casesBelow(directory: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }))
    if (basename(name) === ".expected") found.push(dirname(name));
  return found.sort();
}

function expectedFiles(directory: string, before: ReadonlyMap<string, string>): Map<string, string> {
  const patch = join(directory, ".expected/diff.patch");
  if (!existsSync(patch) || readFileSync(patch, "utf8").trim() === "") return new Map(before);
  const work = mkdtempSync(join(tmpdir(), "kpt-case-"));
  try {
    for (const [path, content] of before) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), content);
    }
    execFileSync("git", ["apply", "--whitespace=nowarn", patch], { cwd: work, stdio: "pipe" });
    return readTree(work);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function run(directory: string, config: Config): Promise<Outcome> {
  const before = readTree(directory);
  const files = new Map([...before].filter(([path]) => isPackageFile(path)));
  let stderr = "";
  const progress = new Progress((text) => {
    stderr += text.replace(/(\[(?:PASS|FAIL)\] .*) in [\d.]+m?s\n/, "$1 in 0s\n");
  });
  const around = {
    signal: AbortSignal.timeout(60_000),
    clock: { now: Date.now, sleep: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }) },
    env: { PATH: [opa ?? "", process.env.PATH].join(":") },
    allowNetwork: false,
    readFile: async () => undefined,
  };
  const context = { ...around, runPolicies: folderPolicies(around) };
  const finish = (
    { written, removed }: RenderedFiles,
    list: ResultList,
    error: Error | undefined,
  ): Outcome => {
    const after = new Map([...before, ...written]);
    for (const path of removed) after.delete(path);
    if (error) stderr += describeError(error);
    return { exitCode: error ? 1 : 0, stderr, files: after, results: printResultList(list) };
  };
  try {
    if (config.testType === "eval") {
      const fnConfig =
        config.fnConfig === undefined ? undefined : join(directory, ".expected", config.fnConfig);
      const done = await evalPackage(files, {
        resolve,
        context,
        progress,
        mode: "in-place",
        spec: { image: config.image ?? "", exec: "", tag: "" },
        config: fnConfig
          ? { source: readFileSync(fnConfig, "utf8"), shown: fnConfig, file: "fn-config.yaml" }
          : { data: new Map(Object.entries(config.args ?? {})) },
        selectors: [],
        exclude: [],
      });
      return finish(done.files, done.results, done.error);
    }
    const done = await renderPackage(files, {
      rootName: basename(directory),
      shownRoot: directory,
      resolve,
      context,
      progress,
      mode: "in-place",
    });
    return finish(done.files, done.results, done.error);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return finish({ written: new Map(), removed: [] }, { exitCode: 1, items: [] }, error);
  }
}

function withoutStatus(kptfile: string | undefined): string {
  return kptfile === undefined ? "" : printKptfile({ ...readKptfile(kptfile, "").content, status: {} });
}

const rest: string[] = [];

for (const suite of suites) {
  const directory = join(shared, suite);
  if (!existsSync(directory)) {
    test(
      `${suite}`,
      { skip: `the cases of ${suite} are not on this machine (../shared/compat)` },
      () => undefined,
    );
    continue;
  }
  for (const name of casesBelow(directory)) {
    const reason = whyNot(join(directory, name));
    if (reason !== undefined) rest.push(`${suite}/${name}: ${reason}`);
    test(`${suite}/${name}`, reason === undefined ? {} : { skip: reason }, async () =>
      check(join(directory, name), suite),
    );
  }
}

/** Why a case cannot run: the first of its functions that does not. */
function whyNot(directory: string): string | undefined {
  const sources = ["Kptfile", ".expected/config.yaml"]
    .map((path) => join(directory, path))
    .filter((path) => existsSync(path));
  const kptfiles = kptfilesOf(directory).map((path) => readFileSync(path, "utf8"));
  for (const text of [...sources.map((path) => readFileSync(path, "utf8")), ...kptfiles])
    for (const [, name = ""] of text.matchAll(/image:\s*["']?(?:[^\s"']*\/)?([a-z-]+)/g))
      if (notHere[name] !== undefined) return `${name}: ${notHere[name]}`;
  return undefined;
}

function kptfilesOf(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => basename(name) === "Kptfile").map((name) => join(directory, name));
}

async function check(directory: string, suite: string): Promise<void> {
  const configPath = join(directory, ".expected/config.yaml");
  const config: Config = existsSync(configPath) ? (parse(readFileSync(configPath, "utf8")) ?? {}) : {};
  const outcome = await run(directory, config);
  const problems = outcome.stderr;
  assert.equal(outcome.exitCode, config.exitCode ?? 0, problems);
  if (config.stdErr !== undefined) {
    const strip = (text: string): string =>
      text
        .split("\n")
        .filter((line) => !config.stdErrStripLines?.includes(line))
        .map((line) => line.trim())
        .join("\n");
    for (const part of strip(config.stdErr)
      .trim()
      .split(/\nFor complete results/)
      .slice(0, 1))
      assert.ok(
        strip(problems).includes(part.trim()),
        `expected on standard error:\n${config.stdErr}\nfound:\n${problems}`,
      );
  }
  const resultsPath = join(directory, ".expected/results.yaml");
  if (existsSync(resultsPath))
    assert.deepEqual(parse(outcome.results), parse(readFileSync(resultsPath, "utf8")));
  const wanted = expectedFiles(directory, readTree(directory));
  const got = outcome.files;
  if (suite === "kpt-functions") {
    // These were recorded with a kpt that wrote no status yet.
    assert.deepEqual(withoutStatus(got.get("Kptfile")), withoutStatus(wanted.get("Kptfile")));
    got.delete("Kptfile");
    wanted.delete("Kptfile");
  }
  assert.deepEqual(Object.fromEntries([...got].sort()), Object.fromEntries([...wanted].sort()));
}

test("the cases that do not run here, with the reason of each", (context) => {
  for (const line of rest) context.diagnostic(line);
});
