import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configMap, failsWith, startWorld, TempFolder } from "@capstan/testkit/render-world";
import { lovely } from "./lovely.ts";
import { chart, chartValues, kustomization, lovelySource, openly, render } from "./testdata/lovely-world.ts";

const twoDirectories = { "one/a.yaml": configMap("minimal"), "two/a.yaml": configMap("minimal") };

test("what a preprocessor prints is no manifest, and LOVELY_PREPROCESSORS is for the directories that no list names", async () => {
  const env = {
    LOVELY_PREPROCESSORS: "echo 'not: a manifest', sed -i s/minimal/plain/ a.yaml",
    LOVELY_PREPROCESSORS_YAML: "two: [sed -i s/minimal/listed/ a.yaml]",
  };
  assert.deepEqual((await render({ files: twoDirectories, env })).names, ["plain", "listed"]);
  const none = { ...env, LOVELY_PREPROCESSORS_YAML: "two: []" };
  assert.deepEqual((await render({ files: twoDirectories, env: none })).names, ["plain", "minimal"]);
});

test("commands run in the directory that they are for, and a failing one of several ends the render", async () => {
  const env = { LOVELY_PLUGINS: 'sed "s/minimal/$(cat name.txt)/"' };
  const names = { "one/name.txt": "first", "two/name.txt": "second" };
  assert.deepEqual((await render({ files: { ...twoDirectories, ...names }, env })).names, [
    "first",
    "second",
  ]);
  await assert.rejects(
    render({ files: twoDirectories, env: { LOVELY_PLUGINS: "false, sed s/minimal/never/" } }),
    failsWith({ code: "TOOL_FAILED", exitCode: 1 }, /command of app\/one/),
  );
});

test("output that does not end its last line is not joined with what follows", async () => {
  const env = { LOVELY_PLUGINS: "printf '%s' \"$(cat)\"" };
  assert.deepEqual((await render({ files: twoDirectories, env })).names, ["minimal", "minimal"]);
  const open = { "a.yaml": configMap("a").trimEnd(), "b.yml": `---\n${configMap("b").trimEnd()}` };
  assert.deepEqual((await render({ files: open })).names, ["a", "b"]);
});

test("a directory is an application by helmfile.d or a template of a helmfile alone", async () => {
  for (const name of ["helmfile.d/a.txt", "helmfile.yaml.gotmpl"])
    await assert.rejects(
      render({ files: { [`sub/${name}`]: "releases: []\n" }, env: { LOVELY_HELMFILE_PATH: "no-helmfile" } }),
      failsWith({ code: "TOOL_MISSING", stage: "sub helmfile" }),
    );
});

test("LOVELY_HELM_IGNORE_MISSING_VALUE_FILES passes over values files that are not there", async () => {
  const env = { LOVELY_HELM_VALUES: "gone.yaml more.yaml", LOVELY_HELM_IGNORE_MISSING_VALUE_FILES: "true" };
  const { replicas } = await chartValues({ files: { "more.yaml": "replicas: 4\n" }, env });
  assert.equal(replicas, 4);
});

test("flags are read as Go reads them, and what it cannot read is the default", async () => {
  const shown = async (LOVELY_HELM_CRDS: string) =>
    (await render({ files: chart, env: { LOVELY_HELM_CRDS } })).names.includes("xs.example.com");
  assert.deepEqual(await Promise.all(["T", "1", "F", "0", "yes"].map(shown)), [
    true,
    true,
    false,
    false,
    true,
  ]);
});

test("a chart's own charts and the file:// ones of its requirements.yaml need no network", async () => {
  const part = (name: string) => ({
    [`${name}/Chart.yaml`]: `apiVersion: v1\nname: ${name.split("/").at(-1)}\nversion: 1.0.0\n`,
    [`${name}/templates/x.yaml`]: configMap(name.split("/").at(-1) ?? ""),
  });
  const files = {
    "main/Chart.yaml": "apiVersion: v1\nname: main\nversion: 1.0.0\n",
    "main/requirements.yaml":
      "dependencies:\n- {name: near, version: 1.0.0, repository: file://../parts/near}\n- {name: inner, version: 1.0.0, repository: ''}\n",
    ...part("main/charts/inner"),
    ...part("parts/near"),
  };
  const { names, stages } = await render({ files });
  assert.deepEqual(names.toSorted(), ["inner", "near", "near"]);
  assert.deepEqual(
    stages.map(({ name }) => name),
    ["main helm", "parts/near helm"],
  );
});

test("a kustomization is edited as it is written: comments, empty lists, any of its names", async () => {
  const files = { ...chart, "more.yaml": configMap("more") };
  const text = `${kustomization}resources:\n# - not this one\n- more.yaml\n\nnamePrefix: k-\n`;
  for (const name of ["kustomization.yaml", "kustomization.yml", "Kustomization"])
    assert.deepEqual((await render({ files: { ...files, [name]: text } })).names.toSorted(), [
      "k-more",
      "k-web",
      "xs.example.com",
    ]);
  const empty = "resources:\nnamePrefix: k-\n";
  assert.ok((await render({ files: { ...files, "kustomization.yaml": empty } })).names.includes("k-web"));
});

test("programs of the operator's choice run in place of helm and kustomize, with plain variables where it is set so", async () => {
  using folder = new TempFolder();
  const says = (name: string) => {
    const file = join(folder.path, name);
    const manifest = `apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: ${name}}\\ndata: {colour: "%s"}\\n`;
    const answer = `case "$1" in version) echo v3.99.0;; *) printf '${manifest}' "$COLOUR";; esac`;
    writeFileSync(file, `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
    return file;
  };
  const cases = [
    [chart, { LOVELY_HELM_PATH: says("own-helm") }],
    [{ "kustomization.yaml": kustomization }, { LOVELY_KUSTOMIZE_PATH: says("own-kustomize") }],
  ] as const;
  for (const [files, operator] of cases) {
    const env = { COLOUR: "blue" };
    const plain = await render({ files, operator, env });
    const given = await render({ files, operator, env: { ...env, LOVELY_ENV_PROPAGATION: "true" } });
    assert.deepEqual(
      [...plain.objects, ...given.objects].map(({ data }) => data),
      [{ colour: "" }, { colour: "blue" }],
    );
    assert.match(plain.names.join(), /^own-(helm|kustomize)$/);
  }
});

test("a program that is a link out of the folders on PATH runs in the sandbox too", async () => {
  using folder = new TempFolder();
  const [kept, bin] = [join(folder.path, "kept"), join(folder.path, "bin")];
  for (const one of [kept, bin]) mkdirSync(one);
  const manifest = "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: linked}\\n";
  writeFileSync(join(kept, "tool-5"), `#!/bin/sh\nprintf '${manifest}'\n`, { mode: 0o755 });
  symlinkSync(join(kept, "tool-5"), join(bin, "tool"));
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: process.env.HOME };
  await using world = await startWorld({ plugins: [lovely(openly)], env });
  world.repository.commit({ "app/kustomization.yaml": kustomization });
  for (const program of ["tool", join(bin, "tool")]) {
    const { manifests } = await world.render(lovelySource({ env: { LOVELY_KUSTOMIZE_PATH: program } }));
    assert.equal(manifests[0]?.manifest.metadata.name, "linked");
  }
});

test("where no sandbox works a helmfile is refused, since it may itself say what to run", async () => {
  using folder = new TempFolder();
  for (const name of ["git", "sh"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    symlinkSync(found, join(folder.path, name));
  }
  const program = join(folder.path, "helmfile");
  writeFileSync(program, "#!/bin/sh\nexit 9\n", { mode: 0o755 });
  const env = { PATH: folder.path, HOME: process.env.HOME };
  await using world = await startWorld({ plugins: [lovely({ LOVELY_HELMFILE_PATH: program })], env });
  world.repository.commit({ "app/helmfile.yaml": "releases: []\n" });
  await assert.rejects(
    world.render(lovelySource({})),
    failsWith(
      { code: "FAILED_PRECONDITION", stage: "helmfile" },
      /bubblewrap .*CAPSTAN_UNCONFINED_COMMANDS=true/,
    ),
  );
});

test("a preprocessor may make the chart or the kustomization that is rendered then", async () => {
  const make = (file: string, text: string) => `printf '${text}' > ${file}`;
  const kustomize = make("kustomization.yaml", "resources: [a.yaml]\\nnamePrefix: made-\\n");
  const files = { "a.yaml": configMap("a") };
  assert.deepEqual((await render({ files, env: { LOVELY_PREPROCESSORS: kustomize } })).names, ["made-a"]);
  const { "Chart.yaml": _description, ...without } = chart;
  const describe = make("Chart.yaml", "apiVersion: v2\\nname: made\\nversion: 1.0.0\\n");
  const parameters = { lovely_preprocessors: describe };
  assert.deepEqual((await render({ files: without, parameters })).names, ["xs.example.com", "web"]);
});

test("a chart must be described in a Chart.yaml: helm knows no other name", async () => {
  const { "Chart.yaml": description, ...without } = chart;
  await assert.rejects(render({ files: { ...without, "Chart.yml": description } }), /Chart\.yaml/);
});
