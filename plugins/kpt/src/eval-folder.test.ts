import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { evalKptFolder, type KptEvalRequest } from "./kpt-folder.ts";

let root = "";
let above = "";
before(async () => {
  above = await mkdtemp(join(tmpdir(), "capstan-eval-"));
});
after(() => rm(above, { recursive: true, force: true }));
beforeEach(async () => {
  root = await mkdtemp(join(above, "app-"));
  await writeFile(join(root, "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\n");
});

const all = {
  ...{ apiVersion: "", kind: "", name: "", namespace: "" },
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
};

async function evaluate(given: Partial<KptEvalRequest>) {
  const said = { out: "", err: "" };
  const request: KptEvalRequest = {
    ...{ directory: root, output: "", resultsDir: "", imagePrefix: undefined, allowExec: false },
    ...{ allowNetwork: false, image: "set-namespace:v0.4.1", tag: "", exec: "", fnConfig: "" },
    ...{ args: [], type: "mutator", save: false, match: all, exclude: all, ...given },
  };
  const exitCode = await evalKptFolder(request, {
    clock: { now: () => 0, sleep: () => new Promise<void>(() => undefined) },
    ...{ signal: AbortSignal.timeout(60_000), env: {}, readInput: async () => "" },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { exitCode, ...said };
}

const config = (name: string): string =>
  `apiVersion: fn.kpt.dev/v1alpha1\nkind: SetNamespace\nmetadata:\n  name: ${name}\nnamespace: shop\n`;

const refused: Readonly<Record<string, readonly [content: string, told: RegExp]>> = {
  words: [
    "just words\n",
    /wrong node kind: expected MappingNode but got ScalarNode: node contents:\njust words\n/,
  ],
  "two objects": [`${config("a")}---\n${config("b")}`, /must not contain more than one config, got 2\n/],
  "no name": ["apiVersion: v1\nkind: ConfigMap\n", /: resource must have `metadata\.name`\n/],
};

for (const [name, [content, told]] of Object.entries(refused))
  test(`a function is not run with a configuration that is none: ${name}`, async () => {
    const fnConfig = join(above, "config.yaml");
    await writeFile(fnConfig, content);
    const { exitCode, err } = await evaluate({ fnConfig });
    assert.equal(exitCode, 1);
    assert.match(err, told);
    assert.match(err, /^error: (?:failed to read )?functionConfig ".*config\.yaml"/);
  });

test("a configuration in the package is given out as it is", async () => {
  await writeFile(join(root, "config.yaml"), config("own"));
  const { out } = await evaluate({ fnConfig: join(root, "config.yaml"), output: "unwrap" });
  assert.match(
    out,
    /name: map\n {2}namespace: shop\n---\n.*kind: SetNamespace\nmetadata:\n {2}name: own\nnamespace/s,
  );
});

test("eval notes nothing on Config Connector's resources, as only render does", async () => {
  const project = "apiVersion: x.cnrm.cloud.google.com/v1\nkind: Project\nmetadata:\n  name: p\n";
  await writeFile(join(root, "map.yaml"), project);
  await evaluate({ image: "set-labels", args: ["a=b"] });
  assert.equal(await readFile(join(root, "map.yaml"), "utf8"), `${project}  labels:\n    a: b\n`);
});

test("an image without a tag is told without one", async () => {
  assert.match((await evaluate({ image: "set-labels", args: ["a=b"] })).err, /\[PASS\] "\S+\/set-labels" in/);
  const ranged = await evaluate({ image: "set-labels", tag: "~0.1", args: ["a=b"] });
  assert.match(ranged.err, /\[PASS\] "\S+\/set-labels:v0\.1\.5" in/);
});

test("a saved function keeps the Kptfile's comments and order", async () => {
  const kptfile =
    "# ours\napiVersion: kpt.dev/v1\nkind: Kptfile # told\nmetadata:\n  # who\n  name: app # why\n";
  await writeFile(join(root, "Kptfile"), kptfile);
  const { err } = await evaluate({ save: true, args: ["namespace=shop"] });
  assert.match(err, /Added "\S+\/set-namespace:v0\.4\.1" as mutator in the Kptfile\.\n$/);
  const saved = await readFile(join(root, "Kptfile"), "utf8");
  assert.match(
    saved,
    /^# ours\napiVersion: kpt\.dev\/v1\nkind: Kptfile # told\nmetadata:\n {2}# who\n {2}name: app # why\n/,
  );
  assert.match(saved, /pipeline:\n {2}mutators:\n {4}- image: \S+\/set-namespace:v0\.4\.1\n {6}configMap:\n/);
});

test("without a Kptfile a function runs and is not saved", async () => {
  const { exitCode, err } = await evaluate({ save: true, args: ["namespace=shop"] });
  assert.equal(exitCode, 0);
  assert.match(err, /function not added: Kptfile not exists\n$/);
});

test("a program that is not there, or prints no list, is an error and no end of a function", async () => {
  const missing = await evaluate({ image: "", exec: "./none 1", allowExec: true });
  assert.equal(missing.exitCode, 1);
  assert.match(
    missing.err,
    /^\[RUNNING\] .*\n\[FAIL\] .*\nerror: unexpected function error: fork\/exec \.\/none: no such file or directory\n$/,
  );
  const junk = await evaluate({
    image: "",
    exec: `"${process.execPath}" -e 'console.log(1)'`,
    allowExec: true,
  });
  assert.match(junk.err, /\[FAIL\] .*\nerror: .*ResourceList/);
  assert.doesNotMatch(junk.err, /Exit code/);
});

test("a program may print its resources without a list around them", async () => {
  const [first, second] = ["one", "two"].map(
    (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`,
  );
  const printed = JSON.stringify(`${first}---\n${second}`);
  const exec = `"${process.execPath}" -e 'process.stdout.write(${printed})'`;
  const { exitCode, err } = await evaluate({ image: "", exec, allowExec: true });
  assert.equal(exitCode, 0, err);
  assert.deepEqual((await readdir(root)).sort(), ["configmap_one.yaml", "configmap_two.yaml"]);
});

test("a program is given the notes that kpt makes on each resource, and its results keep their tags", async () => {
  const results = "results:\n- message: seen\n  tags: {b: two, a: 1}\n";
  const code = `const input = require("node:fs").readFileSync(0, "utf8"); console.error(input); console.log(input + ${JSON.stringify(results)})`;
  const exec = `"${process.execPath}" -e '${code}'`;
  const resultsDir = join(root, "results");
  const { exitCode, err } = await evaluate({ image: "", exec, allowExec: true, resultsDir });
  assert.equal(exitCode, 0, err);
  assert.match(
    err,
    /annotations-migration-resource-id: '0'\n +internal\.config\.kubernetes\.io\/id: '1'\n +config\.k8s\.io\/id: '1'\n/,
  );
  assert.match(await readFile(join(resultsDir, "results.yaml"), "utf8"), /tags:\n +a: "1"\n +b: two\n/);
  assert.doesNotMatch(await readFile(join(root, "map.yaml"), "utf8"), /annotations/);
});

test("a command line whose quote does not end is refused", async () => {
  const { exitCode, err } = await evaluate({ image: "", exec: 'shape "one', allowExec: true });
  assert.equal(exitCode, 1);
  assert.match(
    err,
    /^error: exec command "shape \\"one" must be valid: EOF found when expecting closing quote\n$/,
  );
});

test("a package that is not there is told as kpt tells it", async () => {
  await assert.rejects(
    evaluate({ directory: "./nowhere" }),
    /^Error: lstat \.\/nowhere: no such file or directory$/,
  );
});
