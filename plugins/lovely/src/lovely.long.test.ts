import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { configMap, failsWith, noSignal, startWorld } from "@capstan/testkit/render-world";
import { lovely } from "./lovely.ts";
import {
  at,
  type Case,
  chart,
  chartValues,
  type Files,
  kustomization,
  lovelySource,
  openly,
  render,
} from "./testdata/lovely-world.ts";

const sandboxProgram = "bwrap";

test("each directory with YAML is an application, in the order of a walk, and what is below belongs to it", async () => {
  const { names, stages } = await render({
    files: {
      "b/one.yaml": configMap("b-one"),
      "b/below/two.yml": configMap("b-two"),
      "a/deep/three.yaml": configMap("a-three"),
      "c/.hidden/four.yaml": configMap("c-four"),
      "c/.five.yaml": configMap("never"),
      "c/six.yaml": configMap("c-six"),
      "readme.md": "no application",
    },
  });
  assert.deepEqual(names, ["a-three", "b-two", "b-one", "c-four", "c-six"]);
  assert.deepEqual(
    stages.map(({ name }) => name),
    ["a/deep yaml", "b yaml", "c yaml"],
  );
});

test("a kustomization below is not looked into when the directory itself is an application", async () => {
  const { names } = await render({
    files: {
      "kustomization.yaml": `${kustomization}resources: [z.yaml]\n`,
      "z.yaml": configMap("z"),
      "dir/kustomization.yaml": `${kustomization}resources: [x.yaml]\n`,
      "dir/x.yaml": configMap("x"),
    },
  });
  assert.deepEqual(names, ["z"]);
});

test("LOVELY_DETECTION_REGEX and a preprocessor make applications of other files", async () => {
  const { names } = await render({
    files: { "deploy.foobar": configMap("found") },
    env: { LOVELY_DETECTION_REGEX: "\\.foobar$", LOVELY_PREPROCESSORS: "mv *.foobar file.yaml" },
  });
  assert.deepEqual(names, ["found"]);
});

test("LOVELY_DETECTION_REGEX is one of Go's, of the whole path", async () => {
  const files = { "a/x.yaml": configMap("a"), "b/Y.YAML": configMap("b"), "b/z.yaml": configMap("z") };
  const found = async (expression: string) =>
    (await render({ files, env: { LOVELY_DETECTION_REGEX: expression } })).names;
  assert.deepEqual(await found("(?i)/y[[:punct:]]yaml\\z"), ["z"]);
  assert.deepEqual(await found("/app/a/"), ["a"]);
  assert.deepEqual(await found(""), ["a", "z"]);
});

test("helm, then kustomize over what it made, then plugins", async () => {
  const { objects, stages } = await render({
    files: {
      ...chart,
      "kustomization.yaml": `${kustomization}namePrefix: over-\nresources: [more.yaml]\n`,
      "more.yaml": configMap("more"),
    },
    env: { LOVELY_PLUGINS: "sed s/over-/under-/" },
  });
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ["CustomResourceDefinition xs.example.com", "ConfigMap under-web", "ConfigMap under-more"],
  );
  assert.deepEqual(
    stages.map(({ name }) => name),
    ["helm", "kustomize", "plugins"],
  );
});

test("several charts side by side, each with its own stages (examples/multiple-helm-charts)", async () => {
  const at = (folder: string) =>
    Object.fromEntries(Object.entries(chart).map(([name, text]) => [`${folder}/${name}`, text]));
  const { objects, stages } = await render({
    files: { ...at("chart1"), ...at("chart2"), "secret/secret.yml": configMap("plain") },
    env: { LOVELY_HELM_CRDS: "false" },
  });
  assert.equal(objects.length, 3);
  assert.deepEqual(
    stages.map(({ name }) => name),
    ["chart1 helm", "chart2 helm", "secret yaml"],
  );
});

test("settings: a parameter wins over a variable, that over the operator's", async () => {
  const sed = (text: string) => `sed s/minimal/${text}/`;
  const files = { "a.yaml": configMap("minimal") };
  const operator = { LOVELY_PLUGINS: sed("operator") };
  const env = { LOVELY_PLUGINS: sed("variable") };
  assert.deepEqual((await render({ files, operator })).names, ["operator"]);
  assert.deepEqual((await render({ files, operator, env })).names, ["variable"]);
  const parameters = { lovely_plugins: sed("parameter") };
  assert.deepEqual((await render({ files, operator, env, parameters })).names, ["parameter"]);
});

test("plugins run in order, quotes keep commas, and text between them need not be YAML", async () => {
  const { names } = await render({
    files: { "a.yaml": `${configMap("one")}\n`, "b.yaml": "{{ not: yaml\n" },
    env: { LOVELY_PLUGINS: "grep -v '{{', sed 's/one/one,two/', sed 's/,two/-two/'" },
  });
  assert.deepEqual(names, ["one-two"]);
});

const perDirectory = (name: string) => ({ "a.yaml": configMap(name) });
const twoDirectories = {
  "abc/a.yaml": configMap("minimal-abc"),
  "def/ghi/a.yaml": configMap("minimal-ghi"),
};

test("LOVELY_PLUGINS_YAML is for its directories, LOVELY_PLUGINS for the others", async () => {
  const yaml = { LOVELY_PLUGINS_YAML: "abc: [\"sed 's/minimal/frog/'\"]\ndef/ghi: []\n" };
  assert.deepEqual((await render({ files: twoDirectories, env: yaml })).names, ["frog-abc", "minimal-ghi"]);
  const both = {
    LOVELY_PLUGINS: "sed s/minimal/newt/",
    LOVELY_PLUGINS_YAML: '{"abc":["sed s/minimal/frog/"]}',
  };
  assert.deepEqual((await render({ files: twoDirectories, env: both })).names, ["frog-abc", "newt-ghi"]);
  const root = { LOVELY_PLUGINS_YAML: ".: [sed s/minimal/root/]" };
  assert.deepEqual((await render({ files: perDirectory("minimal"), env: root })).names, ["root"]);
});

test("preprocessors change files of their directory, also those of a chart, and LOVELY_PREPROCESSORS_YAML chooses", async () => {
  const yaml = {
    LOVELY_PREPROCESSORS_YAML:
      '{"abc":["sed -i s/minimal/frog/ *.yaml"],"def/ghi":["sed -i s/minimal/newt/ *.yaml"]}',
  };
  assert.deepEqual((await render({ files: twoDirectories, env: yaml })).names, ["frog-abc", "newt-ghi"]);
  const env = { LOVELY_PREPROCESSORS: "sed -i 's/replicas: 1/replicas: 7/' values.yaml" };
  assert.equal((await chartValues({ env })).replicas, 7);
});

test("a directory's plugins see nothing of other directories", async () => {
  const { names } = await render({
    files: twoDirectories,
    env: {
      LOVELY_PLUGINS_YAML:
        'def/ghi: [\'cat; printf "%s\\n" --- "$(grep -c name: /dev/stdin)" | grep none || true\']',
    },
  });
  assert.deepEqual(names, ["minimal-abc", "minimal-ghi"]);
});

test("commands get Argo CD's variables", async () => {
  const { names } = await render({
    files: { "a.yaml": configMap("NAME") },
    env: { COLOUR: "blue" },
    parameters: {
      size: "big",
      lovely_plugins: 'sed "s/NAME/$ARGOCD_APP_NAME-$ARGOCD_ENV_COLOUR-$PARAM_SIZE/"',
    },
  });
  assert.deepEqual(names, ["web-blue-big"]);
});

test("LOVELY_HELM_MERGE and LOVELY_HELM_PATCH change values.yaml, merge before patch", async () => {
  const env = {
    LOVELY_HELM_MERGE: "replicas: 3\nnested: {a: merged, b: null}\nlist: [three]\n",
    LOVELY_HELM_PATCH: "- {op: add, path: /list/-, value: four}\n- {op: test, path: /replicas, value: 3}\n",
  };
  assert.deepEqual(await chartValues({ env }), {
    replicas: 3,
    nested: { a: "merged" },
    list: ["three", "four"],
  });
  assert.deepEqual(
    await chartValues({ env: { LOVELY_HELM_MERGE: "a: 1\n" }, files: { "values.yaml": undefined } }),
    {
      a: 1,
    },
  );
});

test("LOVELY_HELM_VALUES names files that must be there; merge goes to the first", async () => {
  const files = { "different.yaml": "replicas: 5\nmore: 1\n", "sub/other.yaml": "replicas: 6\n" };
  const env = { LOVELY_HELM_VALUES: "different.yaml sub/other.yaml", LOVELY_HELM_MERGE: "more: 2\n" };
  const { replicas, more } = await chartValues({ files, env });
  assert.deepEqual([replicas, more], [6, 2]);
  await assert.rejects(
    chartValues({ env: { LOVELY_HELM_VALUES: "gone.yaml" } }),
    failsWith({ code: "FILE_MISSING", file: "app/gone.yaml", stage: "helm" }),
  );
});

test("LOVELY_HELM_NAME, LOVELY_HELM_NAMESPACE and LOVELY_HELM_CRDS", async () => {
  const plain = await render({ files: chart });
  assert.deepEqual(plain.names, ["xs.example.com", "web"]);
  assert.equal(plain.objects[1]?.metadata.namespace, "shop");
  const env = { LOVELY_HELM_NAME: "overridden", LOVELY_HELM_NAMESPACE: "there", LOVELY_HELM_CRDS: "false" };
  const { objects } = await render({ files: chart, env });
  assert.deepEqual(
    objects.map(({ metadata }) => metadata),
    [{ name: "overridden", namespace: "there" }],
  );
});

test("Kubernetes and API versions, and LOVELY_HELM_TEMPLATE_PARAMS over them", async () => {
  const asked = { files: chart, kubeVersion: "1.22.3", apiVersions: ["example.com/v1"] };
  const { objects } = await render(asked);
  assert.deepEqual([at(objects[1], "data.kube"), at(objects[1], "data.api")], ["v1.22.3", "true"]);
  const params = "--kube-version 1.23.0 -a example.com/v1 --set 'nested.a=two words'";
  const over = await render({ ...asked, apiVersions: [], env: { LOVELY_HELM_TEMPLATE_PARAMS: params } });
  assert.deepEqual([at(over.objects[1], "data.kube"), at(over.objects[1], "data.api")], ["v1.23.0", "true"]);
  assert.match(String(at(over.objects[1], "data.values")), /two words/);
});

test("LOVELY_KUSTOMIZE_MERGE and LOVELY_KUSTOMIZE_PATCH change the kustomization, lists of generators by name", async () => {
  const files = {
    "kustomization.yaml": `${kustomization}resources: [a.yaml]\nconfigMapGenerator: [{name: kept, literals: [a=1]}]\n`,
    "a.yaml": configMap("a"),
    "b.yaml": configMap("b"),
    "index.html": "hello\n",
  };
  const merge =
    "configMapGenerator: [{name: index, files: [index.html]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n";
  const merged = await render({ files, env: { LOVELY_KUSTOMIZE_MERGE: merge } });
  assert.deepEqual(merged.names.toSorted(), ["a", "index", "kept"]);
  const patch = '[{"op": "add", "path": "/resources/1", "value": "b.yaml"}]';
  const patched = await render({ files, env: { LOVELY_KUSTOMIZE_PATCH: patch } });
  assert.ok(patched.names.includes("b"));
  const asYaml = await render({
    files,
    env: { LOVELY_KUSTOMIZE_PATCH: "- {op: add, path: /resources/-, value: b.yaml}\n" },
  });
  assert.ok(asYaml.names.includes("b"));
});

test("LOVELY_KUSTOMIZE_PARAMS, and charts of a kustomization are inflated always", async () => {
  const inChart = Object.fromEntries(
    Object.entries(chart).map(([name, text]) => [`charts/hello/${name}`, text]),
  );
  const files = {
    "kustomization.yml": `${kustomization}helmCharts: [{name: hello, releaseName: r}]\n`,
    ...inChart,
  };
  assert.deepEqual((await render({ files })).names.toSorted(), ["r"]);
  const outside = { "k/kustomization.yaml": `${kustomization}resources: [../x.yaml]\n`, "x.yaml.txt": "" };
  const { names } = await render({
    files: {
      ...outside,
      "x.yaml": undefined,
      "../x.yaml": configMap("x"),
      "k/kustomization.yaml": `${kustomization}resources: [../../x.yaml]\n`,
    },
    env: { LOVELY_KUSTOMIZE_PARAMS: "--load-restrictor LoadRestrictionsNone" },
  });
  assert.deepEqual(names, ["x"]);
});

test("LOVELY_HELM_PATH and LOVELY_KUSTOMIZE_PATH choose programs", async () => {
  for (const [name, files] of [
    ["LOVELY_HELM_PATH", chart],
    ["LOVELY_KUSTOMIZE_PATH", { "kustomization.yaml": kustomization }],
  ] as const)
    await assert.rejects(
      render({ files, env: { [name]: "no-such-program" } }),
      failsWith({ code: "TOOL_MISSING" }),
    );
});

/** Stands for helmfile, and tells what it was run with. The real one is in compat/renderers/helmfile.test.ts. */
const fakeHelmfile = `#!/bin/sh
printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: h}\\ndata:\\n  replicas: "%s"\\n' "$REPLICA_COUNT"
for arg in "$@"; do printf '  arg%s: |-\\n    %s\\n' "$((n=n+1))" "$arg"; done
printf '  file: |\\n'; sed 's/^/    /' helmfile.yaml* 2>/dev/null; true
`;

async function runHelmfile(files: Files, env: Record<string, string>): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-helmfile-"));
  try {
    const program = join(folder, "helmfile");
    await writeFile(program, fakeHelmfile, { mode: 0o755 });
    const { objects } = await render({ files, env: { LOVELY_HELMFILE_PATH: program, ...env } });
    const data = objects[0]?.data;
    assert.ok(isRecord(data));
    return data;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("helmfile: arguments without quotes, CRDs, merge and patch of helmfile.yaml, helmfile.d, plain variables", async () => {
  const files = { "helmfile.yaml": "releases: [{name: a, set: [{name: x, value: 1}]}]\n" };
  const data = await runHelmfile(files, {
    LOVELY_HELMFILE_TEMPLATE_PARAMS: '--args "-a autoscaling.k8s.io/v1" --debug',
    LOVELY_HELMFILE_MERGE: "environments: {default: {}}\n",
    LOVELY_HELMFILE_PATCH: '[{"op": "replace", "path": "/releases/0/set/0/value", "value": "3"}]',
    REPLICA_COUNT: "2",
  });
  const args = ["template", "--include-crds", "--args", "-a autoscaling.k8s.io/v1", "--debug"];
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((at) => data[`arg${at}`]),
    args,
  );
  assert.match(String(data.file), /environments:\n {2}default: \{\}\nreleases:[\s\S]*value: "3"/);
  assert.equal(data.replicas, "", "ARGOCD_ENV_ stays where propagation is off");
  const only = await runHelmfile(
    { "helmfile.d/one.yaml": "releases: []\n" },
    { LOVELY_HELMFILE_CRDS: "false", LOVELY_ENV_PROPAGATION: "true", REPLICA_COUNT: "2" },
  );
  assert.deepEqual([only.arg1, only.arg2, only.replicas], ["template", undefined, "2"]);
});

test("a program that is not there is said with what to do", async () => {
  await assert.rejects(
    render({ files: { "helmfile.yaml": "releases: []\n" }, env: { LOVELY_HELMFILE_PATH: "no-helmfile" } }),
    failsWith(
      { code: "TOOL_MISSING", tool: "helmfile", stage: "helmfile" },
      /Capstan does not bring helmfile/,
    ),
  );
});

test("bad input is said with its setting, directory or file", async () => {
  const bad: [Case, Parameters<typeof failsWith>[0], RegExp][] = [
    [
      { files: chart, env: { LOVELY_HELM_PATCH: "- {op: remove, path: /none}" } },
      { code: "INVALID_ARGUMENT" },
      /LOVELY_HELM_PATCH: operation 1: \/none does not exist/,
    ],
    [{ files: chart, env: { LOVELY_HELM_MERGE: "a: [" } }, { code: "YAML_INVALID" }, /LOVELY_HELM_MERGE/],
    [
      { files: chart, env: { LOVELY_HELM_REPO_ADD_PARAMS: "--ca-file x" } },
      { code: "INVALID_ARGUMENT" },
      /--ca-file is not among/,
    ],
    [
      { files: { ...chart, "helmfile.yaml": "releases: []\n" } },
      { code: "FAILED_PRECONDITION" },
      /both a helmfile and a Chart\.yaml/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_PLUGINS: "cat 'x" } },
      { code: "INVALID_ARGUMENT" },
      /LOVELY_PLUGINS: a ' is not closed/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_PLUGINS_YAML: "a: b" } },
      { code: "INVALID_ARGUMENT" },
      /a must be a list of commands/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_PLUGINS: "echo wrong >&2; exit 3" } },
      { code: "TOOL_FAILED", exitCode: 3, stage: "plugins" },
      /command of app failed with exit code 3 .*: wrong/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_PREPROCESSORS: "false" } },
      { code: "TOOL_FAILED", stage: "preprocess" },
      /exit code 1/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_DETECTION_REGEX: "(" } },
      { code: "INVALID_ARGUMENT" },
      /LOVELY_DETECTION_REGEX/,
    ],
    [
      { files: { "a.yaml": configMap("a") }, env: { LOVELY_PLUGINS: "echo no manifest" } },
      { code: "MANIFEST_INVALID", stage: "plugins" },
      /output of plugin echo/,
    ],
  ];
  for (const [given, facts, message] of bad) await assert.rejects(render(given), failsWith(facts, message));
});

const sandbox = spawnSync(sandboxProgram, ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;

test("commands that an application chooses see nothing of the machine but programs", {
  skip: !sandbox && "bwrap does not work here",
}, async () => {
  await using world = await startWorld({ plugins: [lovely({})] });
  world.repository.commit({ "app/a.yaml": configMap("a") });
  const script = `test -e ${world.dataDir} && sed s/'"a"'/'"seen"'/ || sed s/'"a"'/'"hidden"'/`;
  const { manifests } = await world.render(lovelySource({ parameters: { lovely_plugins: script } }));
  assert.deepEqual(manifests[0]?.manifest.metadata.name, "hidden");
});

test("an application's variables cannot change what runs the sandbox, and the machine's credentials stay away", {
  skip: !sandbox && "bwrap does not work here",
}, async () => {
  const secret = "token-of-the-operator";
  const gitEnv = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.extraHeader", GIT_CONFIG_VALUE_0: secret };
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GIT_CONFIG_NOSYSTEM: "1", ...gitEnv };
  await using world = await startWorld({ plugins: [lovely({})], env });
  const fake = "#!/bin/sh\necho 'kind: Escaped' >&2\nexit 9\n";
  world.repository.commit({
    "app/kustomization.yaml": `${kustomization}resources: [a.yaml]\n`,
    "app/a.yaml": configMap("a"),
    "app/bwrap": fake,
  });
  chmodSync(join(world.repository.dir, "app/bwrap"), 0o755);
  world.repository.commit({});
  const evil = { LOVELY_ENV_PROPAGATION: "true", PATH: "/proc/self/cwd", LD_PRELOAD: "/proc/self/cwd/bwrap" };
  const plain = await world.render(lovelySource({ env: evil }));
  assert.equal(plain.manifests[0]?.manifest.metadata.name, "a");
  const script = `test -n "$GIT_CONFIG_VALUE_0" && sed 's/name: a$/name: seen/' || sed 's/name: a$/name: hidden/'`;
  const shown = await world.render(lovelySource({ parameters: { lovely_plugins: script } }));
  assert.equal(shown.manifests[0]?.manifest.metadata.name, "hidden");
});

test("where no sandbox works, an application's commands are refused and the operator's run", async () => {
  await using folder = await pathWithout(sandboxProgram);
  const env = { PATH: folder.path };
  const files = { "app/a.yaml": configMap("minimal") };
  const renderWith = async (operator: Record<string, string>, own: Record<string, string>) => {
    await using world = await startWorld({
      plugins: [lovely(operator)],
      env: { ...env, HOME: process.env.HOME },
    });
    world.repository.commit(files);
    return (await world.render(lovelySource({ env: own }))).manifests[0]?.manifest.metadata.name;
  };
  const plugin = { LOVELY_PLUGINS: "sed s/minimal/changed/" };
  await assert.rejects(
    renderWith({}, plugin),
    failsWith({ code: "FAILED_PRECONDITION" }, /bubblewrap .*CAPSTAN_UNCONFINED_COMMANDS=true/),
  );
  assert.equal(await renderWith(plugin, {}), "changed");
  assert.equal(await renderWith(openly, plugin), "changed");
});

test("what a command that handles secrets prints is in no error, and its output rests nowhere", async () => {
  const secret = "hunter2-of-lovely";
  await using world = await startWorld({ plugins: [lovely(openly)] });
  world.repository.commit({ "app/a.yaml": configMap("a", { key: "REPLACE" }) });
  const unlock = `: argocd-vault-plugin; sed "s/REPLACE/$(printf %s-%s hunter2 of-lovely)/"`;
  const source = lovelySource({ parameters: { lovely_plugins: unlock } });
  const { manifests } = await world.render(source);
  assert.deepEqual(manifests[0]?.manifest.data, { key: secret });
  const shown = await world.server.explainRender(world.request(source), noSignal);
  assert.doesNotMatch(JSON.stringify([shown, world.log.lines]), new RegExp(secret));
  for (const file of filesBelow(world.folder)) assert.ok(!readFileSync(file).includes(secret), file);
  const failing = `: sops; printf %s-%s hunter2 of-lovely >&2; exit 1`;
  await assert.rejects(
    world.render(lovelySource({ parameters: { lovely_plugins: failing } })),
    (error: Error) => !error.message.includes(secret) && /is not shown/.test(error.message),
  );
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The usual programs by links, but one. */
async function pathWithout(program: string) {
  const path = await mkdtemp(join(tmpdir(), "capstan-path-"));
  for (const name of ["git", "bash", "sh", "sed", "cat"].filter((one) => one !== program)) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    await symlink(found, join(path, name));
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test("stages are kept one by one and shown with what each changed", async () => {
  await using world = await startWorld({ plugins: [lovely(openly)] });
  const files = Object.fromEntries(Object.entries(chart).map(([name, text]) => [`app/${name}`, text]));
  const kustomize = (prefix: string) => `${kustomization}namePrefix: ${prefix}\n`;
  world.repository.commit({ ...files, "app/kustomization.yaml": kustomize("one-") });
  const source = lovelySource({});
  await world.render(source);
  world.repository.commit({ "app/kustomization.yaml": kustomize("two-") });
  world.server.forgetRevisions(world.repository.url);
  const { timings } = await world.render(source);
  assert.ok((timings.stages[1]?.ms ?? 0) > 0);
  const { stages } = await world.server.explainRender(world.request(source), noSignal);
  assert.deepEqual(
    stages.map(({ name, manifests }) => [name, manifests.at(-1)?.metadata.name]),
    [
      ["helm", "web"],
      ["kustomize", "two-web"],
    ],
  );
  const listed = (await world.server.listPlugins()).find(({ name }) => name === "lovely");
  assert.equal(listed?.parameters.length, 25);
  assert.deepEqual(listed?.shapes, ["generate"]);
});
