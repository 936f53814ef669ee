import assert from "node:assert/strict";
import { test } from "node:test";
import { mapping, setText, text } from "@capstan/krm-yaml";
import { describeError } from "./describe-error.ts";
import type { KrmFunction } from "./function.ts";
import { catalog } from "./functions/catalog.ts";
import { identityOf, placeAt } from "./item.ts";
import { Progress } from "./progress.ts";
import { renderPackage } from "./render-package.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";

const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
const context = {
  signal: new AbortController().signal,
  clock,
  env: {},
  allowNetwork: false,
  readFile: async () => undefined,
};

/** Notes which resources it was given, in order. */
function recorder(): { run: KrmFunction; seen: string[][] } {
  const seen: string[][] = [];
  const run: KrmFunction = ({ items }) => {
    seen.push(items.map((item) => identityOf(item).name));
    return undefined;
  };
  return { run, seen };
}

async function render(
  files: Record<string, string>,
  functions: Record<string, KrmFunction> = {},
  mode: "in-place" | "items" = "in-place",
) {
  let told = "";
  const own = Object.entries(functions).map(([name, run]) => [name, { run, version: "0.1.0" }] as const);
  const done = await renderPackage(new Map(Object.entries(files)), {
    rootName: "app",
    shownRoot: "/pkg/app",
    resolve: functionResolver({ catalog: new Map([...catalog, ...own]), imagePrefix: defaultImagePrefix }),
    context,
    progress: new Progress((line) => {
      told += line;
    }),
    mode,
  });
  return { ...done, told, problem: done.error ? describeError(done.error) : "" };
}

const kptfile = (name: string, pipeline = "", annotations = ""): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n${annotations}${pipeline}`;
const pipeline = (...steps: string[]): string =>
  `pipeline:\n  mutators:\n${steps.map((step) => `    - ${step}\n`).join("")}`;
const map = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

test("subpackages run first, in the order of their paths, and the parent sees what they left", async () => {
  const own = recorder();
  const files = {
    Kptfile: kptfile("root", pipeline("image: spy")),
    "a.yaml": map("root-map"),
    "z/Kptfile": kptfile("z", pipeline("image: spy")),
    "z/z.yaml": map("z-map"),
    "m/deep/Kptfile": kptfile("deep", pipeline("image: spy")),
    "m/deep/d.yaml": map("deep-map"),
    "m/loose.yaml": map("loose-map"),
  };
  await render(files, { spy: own.run });
  assert.deepEqual(own.seen, [
    ["deep", "deep-map"],
    ["z", "z-map"],
    ["root", "root-map", "loose-map", "deep", "deep-map", "z", "z-map"],
  ]);
});

test("breadth first, parents come before what is below them and children see their work", async () => {
  const own = recorder();
  const on = '  annotations:\n    kpt.dev/bfs-rendering: "true"\n';
  const files = {
    Kptfile: kptfile("root", pipeline("image: spy"), on),
    "b/Kptfile": kptfile("b", pipeline("image: spy")),
    "a/Kptfile": kptfile("a"),
    "a/in/Kptfile": kptfile("in", pipeline("image: spy")),
  };
  await render(files, { spy: own.run });
  assert.deepEqual(own.seen, [["root", "a", "in", "b"], ["b"], ["in"]]);
});

test("selectors add up, their fields narrow, exclusions take away, and what was not chosen keeps its place", async () => {
  const own = recorder();
  const steps = [
    "image: spy\n      selectors:\n        - kind: ConfigMap\n          name: one\n        - labels:\n            pick: me",
    "image: spy\n      exclude:\n        - kind: Kptfile\n        - {}\n        - name: two",
  ];
  const files = {
    Kptfile: kptfile("root", pipeline(...steps)),
    "r.yaml": `${map("one")}---\n${map("two", "  labels:\n    pick: me\n")}---\n${map("three")}`,
  };
  const { files: written } = await render(files, { spy: own.run });
  assert.deepEqual(own.seen, [
    ["one", "two"],
    ["one", "three"],
  ]);
  assert.deepEqual(written.written.get("r.yaml"), files["r.yaml"]);
});

test("a configuration that an earlier function changed is the one that a later function gets", async () => {
  const change: KrmFunction = ({ items }) => {
    for (const item of items)
      if (identityOf(item).name === "config") setText(item.root, ["data", "tier"], "changed");
    return undefined;
  };
  const files = {
    Kptfile: kptfile(
      "root",
      pipeline("image: change", "image: set-labels:v0.2.0\n      configPath: config.yaml"),
    ),
    "config.yaml": map("config", "data:\n  tier: first\n"),
    "r.yaml": map("one"),
  };
  const { files: written } = await render(files, { change });
  assert.match(written.written.get("r.yaml") ?? "", /tier: changed/);
});

test("a validator sees the outcome and changes nothing", async () => {
  const spoil: KrmFunction = ({ items }) => {
    for (const item of items) setText(item.root, ["metadata", "name"], "spoilt");
    items.length = 0;
    return undefined;
  };
  const files = {
    Kptfile: kptfile("root", "pipeline:\n  validators:\n    - image: spoil\n"),
    "r.yaml": map("one"),
  };
  const done = await render(files, { spoil });
  assert.equal(done.error, undefined);
  assert.equal(done.files.written.get("r.yaml"), files["r.yaml"]);
  assert.deepEqual(done.files.removed, []);
});

test("files whose resources are gone are removed, new ones get a file, comments and order stay", async () => {
  const swap: KrmFunction = (list) => {
    list.items = list.items.filter((item) => identityOf(item).name !== "gone");
    const root = mapping([
      { key: text("apiVersion"), value: text("v1") },
      { key: text("kind"), value: text("Secret") },
      {
        key: text("metadata"),
        value: mapping([
          { key: text("name"), value: text("new") },
          { key: text("namespace"), value: text("team") },
        ]),
      },
    ]);
    list.items.push({ root, head: "", foot: "" });
    return undefined;
  };
  const kept =
    "# licence\n\n# about\nkind: ConfigMap # kind\napiVersion: v1\nmetadata:\n  # name\n  name: kept\n";
  const files = {
    Kptfile: kptfile("root", pipeline("image: swap")),
    "gone.yaml": map("gone"),
    "kept.yaml": kept,
  };
  const { files: out } = await render(files, { swap });
  assert.deepEqual(out.removed, ["gone.yaml"]);
  assert.equal(
    out.written.get("team/secret_new.yaml"),
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: new\n  namespace: team\n",
  );
  assert.equal(out.written.get("kept.yaml"), kept.replace("licence\n\n", "licence\n"));
});

test("a function that fails leaves the files alone but for the note in the root Kptfile", async () => {
  const fail: KrmFunction = (list) => {
    list.results = [
      {
        message: "no limits",
        severity: "error",
        resourceRef: { kind: "Pod", name: "p" },
        field: { path: "spec" },
      },
    ];
    return { exitCode: 3, stderr: "stopped" };
  };
  const files = {
    Kptfile: kptfile("root", pipeline("image: set-labels\n      configMap: {a: b}", "image: fail")),
    "r.yaml": map("one"),
  };
  const done = await render(files, { fail });
  assert.deepEqual([...done.files.written.keys()], ["Kptfile"]);
  assert.match(
    done.files.written.get("Kptfile") ?? "",
    /errorSummary: 'ghcr.io\/kptdev\/krm-functions-catalog\/fail:latest: exit code 3'/,
  );
  assert.match(done.told, /\[error\] Pod\/p spec: no limits\n {2}Stderr:\n {4}stopped\n {2}Exit code: 3\n/);
  assert.equal(done.results.exitCode, 1);
});

test(".krmignore hides files and folders, and a pattern with ! brings one back", async () => {
  const own = recorder();
  const files = {
    Kptfile: kptfile("root", pipeline("image: spy")),
    ".krmignore": "# not these\nold/\n*.json\n!keep.json\n/top.yaml\n",
    "old/a.yaml": map("old"),
    "x.json": '{"not": "krm"}',
    "keep.json": JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "json" } }),
    "top.yaml": map("top"),
    "in/top.yaml": map("inner"),
  };
  await render(files, { spy: own.run });
  assert.deepEqual(own.seen, [["root", "inner", "json"]]);
});

/** What is wrong with a package, with the words that its author is told. */
const refused: [name: string, files: Record<string, string>, message: RegExp][] = [
  ["no Kptfile", { "r.yaml": map("one") }, /^Error: No Kptfile found at "\/pkg\/app"\./],
  [
    "an unknown function",
    { Kptfile: kptfile("root", pipeline("image: example.com/team/shape:v1.2.3")) },
    /function "example\.com\/team\/shape:v1\.2\.3" is not one of those that run here.*CAPSTAN_KPT_IMAGES.*use one of apply-replacements, .*--allow-exec/s,
  ],
  [
    "a function of another major version",
    { Kptfile: kptfile("root", pipeline("image: set-labels:v3.0.0")) },
    /set-labels behaves here as v0\.2\.0, and "v3\.0\.0" is a version of another kind/,
  ],
  [
    "a Kptfile of an unknown version",
    { Kptfile: kptfile("root").replace("v1", "v9") },
    /Kptfile at "\/pkg\/app" has an unknown resource type \("kpt\.dev\/v9, Kind=Kptfile"\)\.\nWrite apiVersion: kpt\.dev\/v1/,
  ],
  [
    "a former Kptfile",
    { Kptfile: kptfile("root").replace("v1", "v1alpha1") },
    /old version \("v1alpha1"\).*kpt\.dev\/installation\/migration/s,
  ],
  [
    "both image and exec",
    { Kptfile: kptfile("root", pipeline("image: set-labels\n      exec: ls")) },
    /Kptfile is invalid:\nField: `pipeline\.mutators\[0\]`\nReason: must not specify both/,
  ],
  [
    "a program without permission",
    { Kptfile: kptfile("root", pipeline("exec: rm -r .")) },
    /must run with `--allow-exec` option/,
  ],
  [
    "a configuration outside the package",
    { Kptfile: kptfile("root", pipeline("image: set-labels\n      configPath: ../x.yaml")) },
    /Value: "\.\.\/x\.yaml"\nReason: path must not be outside the package/,
  ],
  [
    "a field that is unknown",
    { Kptfile: kptfile("root", "pipelines: {}\n") },
    /line 5: field pipelines not found in type v1\.KptFile/,
  ],
  [
    "broken YAML",
    { Kptfile: kptfile("root", pipeline("image: set-labels\n      configMap: {a: b}")), "r.yaml": "a: [\n" },
    /r\.yaml/,
  ],
];

for (const [name, files, message] of refused)
  test(`refused with what to do: ${name}`, async () => {
    const problem = await render(files).then(
      (done) => done.problem,
      (error: unknown) => describeError(error instanceof Error ? error : new Error(String(error))),
    );
    assert.match(problem, message);
  });

test("a function that writes outside its package is stopped", async () => {
  for (const path of ["../out.yaml", "a/../../out.yaml", ".."]) {
    const leave: KrmFunction = ({ items }) => {
      for (const item of items) if (identityOf(item).name === "one") placeAt(item, path);
      return undefined;
    };
    const files = { Kptfile: kptfile("root", pipeline("image: leave")), "r.yaml": map("one") };
    const { problem, files: out } = await render(files, { leave });
    assert.match(problem, /function must not modify resources outside of package: resource has path/);
    assert.deepEqual([...out.written.keys()], ["Kptfile"]);
  }
});

test("a render of one set of files gives the same twice, and rendering its output changes nothing more", async () => {
  const files = {
    Kptfile: kptfile(
      "root",
      pipeline(
        "image: set-namespace\n      configMap: {namespace: prod}",
        "image: set-labels\n      configMap: {app: web}",
      ),
    ),
    "r.yaml": `${map("one")}---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n`,
  };
  const first = await render(files);
  const second = await render({ ...files, ...Object.fromEntries(first.files.written) });
  assert.equal(second.files.written.get("r.yaml"), first.files.written.get("r.yaml"));
});

test("the Kptfile names all configurations that are missing, a person is told the first", async () => {
  const files = {
    Kptfile: kptfile(
      "app",
      pipeline(
        "{image: set-labels:v0.2.0, configPath: one/a.yaml}",
        "{image: set-labels:v0.2.0, configPath: one/b.yaml}",
      ),
    ),
    "one/Kptfile": kptfile("one"),
    "one/a.yaml": map("a"),
    "one/b.yaml": map("b"),
  };
  const { problem, files: after } = await render(files);
  assert.match(problem, /^Kptfile is invalid:\nField: `pipeline\.mutators\[0\]/);
  assert.doesNotMatch(problem, /mutators\[1\]/);
  const noted = after.written.get("Kptfile") ?? "";
  assert.match(noted, /mutators\[0\][\s\S]*\n\n +Kptfile is invalid:\n +Field: `pipeline\.mutators\[1\]/);
});

test("a Kptfile that functions have left unreadable gets no status, and the render is good", async () => {
  const spoil: KrmFunction = ({ items }) => {
    for (const item of items) setText(item.root, ["spec", "replicas"], "3");
    return undefined;
  };
  const files = { Kptfile: kptfile("app", pipeline("image: spoil")), "a.yaml": map("a") };
  const { error, files: after } = await render(files, { spoil });
  assert.equal(error, undefined);
  assert.match(after.written.get("Kptfile") ?? "", /spec:\n {2}replicas: "?3"?\n$/);
});
