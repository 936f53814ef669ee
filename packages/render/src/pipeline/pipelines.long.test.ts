import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Pipeline, type PipelineStage, parsePlacedManifests } from "@capstan/model";
import { inProcessPlugin, type Plugin } from "@capstan/plugin-kit";
import { configMap, failsWith, noSignal, startWorld } from "@capstan/testkit/render-world";

/** Counts its runs, so that a test sees which stage ran again. */
class Counter {
  readonly runs: Record<string, number> = {};
  count(name: string): void {
    this.runs[name] = (this.runs[name] ?? 0) + 1;
  }
  take(): Record<string, number> {
    const taken = { ...this.runs };
    for (const name of Object.keys(this.runs)) delete this.runs[name];
    return taken;
  }
}

const data = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});

function plugins(counter: Counter): Plugin[] {
  return [
    inProcessPlugin({
      name: "fill",
      inputs: async ({ source }) => ({ paths: [""], refs: {}, facts: source.plugin?.parameters }),
      prepare: async (context, stage) => {
        counter.count("fill");
        const { root } = await stage.workspace();
        const file = join(root, context.path, "a.yaml");
        const who = context.source.plugin?.parameters?.find(({ name }) => name === "who")?.string ?? "";
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("$WHO", who));
      },
    }),
    inProcessPlugin({
      name: "read",
      parameters: [{ name: "which", title: "Which files" }],
      inputs: async ({ path }) => ({ paths: [path], refs: {}, facts: {} }),
      generate: async ({ tree, path }) => {
        counter.count("read");
        const manifests = [];
        for (const entry of await tree.list(path)) {
          if (!entry.name.endsWith(".yaml")) continue;
          const text = (await tree.read(entry)).toString();
          manifests.push(...parsePlacedManifests(text, { file: entry.path }));
        }
        return { manifests, commands: ["read"] };
      },
    }),
    inProcessPlugin({
      name: "label",
      inputs: async ({ source }) => ({ paths: [], refs: {}, facts: source.plugin?.parameters }),
      transform: async (manifests, { source }) => {
        counter.count("label");
        const labels = Object.fromEntries(
          (source.plugin?.parameters ?? []).map(({ name = "", string = "" }) => [name, string]),
        );
        return {
          manifests: manifests.map(({ manifest }) => ({
            manifest: { ...manifest, metadata: { ...manifest.metadata, labels } },
          })),
          commands: [],
        };
      },
    }),
    inProcessPlugin({
      name: "unlock",
      sensitive: true,
      transform: async (manifests) => {
        counter.count("unlock");
        return {
          manifests: manifests.map(({ manifest }) => ({
            manifest: { ...manifest, data: { ...data(manifest.data), password: "hunter2" } },
          })),
          commands: [],
        };
      },
    }),
  ];
}

function pipeline(stages: readonly PipelineStage[], name = "chain"): Pipeline {
  return {
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name },
    spec: { stages: [...stages] },
  };
}

const fill: PipelineStage = { plugin: "fill", parameters: [{ name: "who", string: "Ada" }] };
const three = [fill, { plugin: "read" }, { plugin: "label", parameters: [{ name: "tier", string: "web" }] }];

async function chainWorld(stages: readonly PipelineStage[] = three) {
  const counter = new Counter();
  const world = await startWorld({ plugins: plugins(counter) });
  const own = JSON.stringify(pipeline(stages));
  world.repository.commit({ "web/a.yaml": configMap("a", { hello: "$WHO" }), "web/capstan.yaml": own });
  return Object.assign(world, { counter });
}

test("stages run in order: files changed, manifests made from them, manifests changed", async () => {
  await using world = await chainWorld();
  const answer = await world.render({ path: "web" });
  assert.equal(answer.plugin, "chain");
  assert.equal(answer.sourceType, "Plugin");
  assert.deepEqual(
    answer.manifests.map(({ manifest }) => [manifest.metadata, manifest.data]),
    [[{ name: "a", labels: { tier: "web" } }, { hello: "Ada" }]],
  );
  assert.deepEqual(
    answer.timings.stages.map(({ name }) => name),
    ["fill", "read", "label"],
  );
  assert.deepEqual(world.counter.take(), { fill: 1, read: 1, label: 1 });
});

test("a change of a later stage runs that stage alone", async () => {
  await using world = await chainWorld();
  await world.render({ path: "web" });
  world.counter.take();
  const changed = [
    fill,
    { plugin: "read" },
    { plugin: "label", parameters: [{ name: "tier", string: "db" }] },
  ];
  world.repository.commit({ "web/capstan.yaml": JSON.stringify(pipeline(changed)) });
  const answer = await world.render({ path: "web" }, { noRevisionCache: true });
  assert.deepEqual(answer.manifests[0]?.manifest.metadata.labels, { tier: "db" });
  assert.deepEqual(world.counter.take(), { label: 1 });
});

test("a prepared tree that comes out the same re-runs nothing after it", async () => {
  await using world = await chainWorld();
  await world.render({ path: "web" });
  world.counter.take();
  world.repository.commit({ "other.txt": "seen by fill, which reads everything" });
  await world.render({ path: "web" }, { noRevisionCache: true });
  assert.deepEqual(world.counter.take(), { fill: 1 });
});

test("a hard refresh runs every stage again", async () => {
  await using world = await chainWorld();
  await world.render({ path: "web" });
  world.counter.take();
  await world.render({ path: "web" }, { noCache: true });
  assert.deepEqual(world.counter.take(), { fill: 1, read: 1, label: 1 });
});

test("the application sets parameters of one stage by STAGE/NAME, and bare names for all", async () => {
  await using world = await chainWorld();
  const parameters = [
    { name: "fill/who", string: "Grace" },
    { name: "label/tier", string: "cache" },
    { name: "zone", string: "eu" },
  ];
  const { manifests } = await world.render({ path: "web", plugin: { parameters } });
  assert.deepEqual(manifests[0]?.manifest.data, { hello: "Grace" });
  assert.deepEqual(manifests[0]?.manifest.metadata.labels, { tier: "cache", zone: "eu" });
});

test("a parameter for a stage that is not there is refused with the stages there are", async () => {
  await using world = await chainWorld();
  const plugin = { parameters: [{ name: "lable/tier", string: "x" }] };
  await assert.rejects(
    world.render({ path: "web", plugin }),
    failsWith({ code: "INVALID_ARGUMENT" }, /stage lable, but the stages are fill, read, label/),
  );
});

test("failures name the stage", async () => {
  await using world = await chainWorld();
  world.repository.commit({ "web/a.yaml": "kind: [" });
  await assert.rejects(
    world.render({ path: "web" }, { noRevisionCache: true }),
    failsWith({ code: "YAML_INVALID", stage: "read" }, /^stage read: invalid YAML in web\/a\.yaml/),
  );
  world.repository.commit({ "web/capstan.yaml": JSON.stringify(pipeline([{ plugin: "absent" }])) });
  await assert.rejects(
    world.render({ path: "web" }, { noRevisionCache: true }),
    failsWith({ code: "PLUGIN_MISSING", stage: "absent" }, /^stage absent: there is no plugin "absent"/),
  );
});

test("a pipeline that is wrong says which field, and another kind of that file name is no pipeline", async () => {
  await using world = await chainWorld([]);
  await assert.rejects(
    world.render({ path: "web" }),
    failsWith({ code: "INVALID_SPEC" }, /web\/capstan\.yaml is invalid: line 1: spec\.stages: is empty/),
  );
  world.repository.commit({ "web/capstan.yaml": configMap("capstan") });
  const answer = await world.render({ path: "web" }, { noRevisionCache: true });
  assert.equal(answer.sourceType, "Directory");
});

test("a typing error in capstan.yaml is refused with what was meant: no other tool renders the files as they are", async () => {
  await using world = await chainWorld([]);
  const spec = "spec: {stages: [{plugin: read}]}\n";
  const mistakes: [string, RegExp][] = [
    [`apiversion: capstan.dev/v1alpha1\nkind: Pipeline\n${spec}`, /apiversion: .*did you mean apiVersion\?/s],
    [`apiVersion: capstan.dev/v1alpha1\nkind: pipeline\n${spec}`, /"pipeline" is none of Pipeline/],
    [`apiVersion: capstan.dev/v1\nkind: Pipeline\n${spec}`, /must be capstan\.dev\/v1alpha1/],
    [
      `apiVersion: capstan.dev/v1alpha1\nkind: Pipeline\ninputs: []\n${spec}`,
      /inputs: is not a field that this version knows/,
    ],
  ];
  for (const [text, message] of mistakes) {
    world.repository.commit({ "web/capstan.yaml": text });
    const anew = { noRevisionCache: true };
    await assert.rejects(world.render({ path: "web" }, anew), failsWith({ code: "INVALID_SPEC" }, message));
  }
});

test("the operator's pipelines are used by name, and where their discovery matches", async () => {
  const counter = new Counter();
  const house = pipeline([{ plugin: "read" }, { plugin: "label" }], "house");
  const found = { ...pipeline([{ plugin: "read" }], "found") };
  found.spec = { ...found.spec, discover: { fileName: "*.chain" } };
  await using world = await startWorld({ plugins: plugins(counter), pipelines: () => [house, found] });
  world.repository.commit({
    "web/a.yaml": configMap("a"),
    "disc/a.yaml": configMap("b"),
    "disc/x.chain": "",
  });
  assert.equal((await world.render({ path: "web", plugin: { name: "house" } })).plugin, "house");
  assert.equal((await world.render({ path: "disc" })).plugin, "found");
  assert.equal((await world.render({ path: "web" })).plugin, "directory");
  assert.equal((await world.render({ path: "disc", directory: {} })).plugin, "directory");
});

test("a stage with an input reads the manifests so far from a file: helm, then kustomize", async () => {
  await using world = await chainWorld([
    { plugin: "helm", path: "chart", parameters: [{ name: "colour", string: "blue" }] },
    { plugin: "kustomize", path: "patch", input: "all.yaml" },
  ]);
  world.repository.commit({
    "web/chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "web/chart/templates/c.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {colour: {{ .Values.colour }}}\n",
    "web/patch/kustomization.yaml": "resources: [all.yaml]\nnamePrefix: pre-\n",
  });
  const { manifests } = await world.render({ path: "web" });
  assert.deepEqual(
    manifests.map(({ manifest }) => [manifest.metadata.name, manifest.data]),
    [["pre-c", { colour: "blue" }]],
  );
});

test("generating stages add to each other, and the pipeline's own file is none of their input", async () => {
  await using world = await chainWorld([
    { plugin: "directory" },
    { plugin: "directory", name: "more", path: "more" },
  ]);
  world.repository.commit({ "web/more/b.yaml": configMap("b") });
  const { manifests } = await world.render({ path: "web" });
  assert.deepEqual(
    manifests.map(({ manifest }) => manifest.metadata.name),
    ["a", "b"],
  );
});

test("the explanation shows what each stage did", async () => {
  await using world = await chainWorld();
  const { stages } = await world.server.explainRender(world.request({ path: "web" }), noSignal);
  const [first, second, third] = stages;
  assert.deepEqual(first?.files, [
    {
      path: "web/a.yaml",
      change: "changed",
      before: configMap("a", { hello: "$WHO" }),
      after: configMap("a", { hello: "Ada" }),
    },
  ]);
  assert.deepEqual(
    stages.map(({ name, shapes, manifests }) => [name, shapes, manifests.length]),
    [
      ["fill", ["prepare"], 0],
      ["read", ["generate"], 1],
      ["label", ["transform"], 1],
    ],
  );
  assert.equal(second?.manifests[0]?.metadata.labels, undefined);
  assert.deepEqual(second?.announced, [{ name: "which", title: "Which files" }]);
  assert.deepEqual(third?.parameters, [{ name: "tier", string: "web" }]);
  assert.deepEqual(world.counter.take(), { fill: 1, read: 1, label: 1 }, "nothing ran twice");
});

test("what a sensitive stage makes rests on no disk and is shown masked, with a digest", async () => {
  await using world = await chainWorld([{ plugin: "read" }, { plugin: "unlock" }, { plugin: "label" }]);
  const answer = await world.render({ path: "web" });
  assert.deepEqual(answer.manifests[0]?.manifest.data, { hello: "$WHO", password: "hunter2" });
  const { stages } = await world.server.explainRender(world.request({ path: "web" }), noSignal);
  const shown = stages[1]?.manifests[0]?.data;
  assert.match(JSON.stringify(shown), /^\{"hello":"\$WHO","password":"\+{8} \([0-9a-f]{8}\)"\}$/);
  assert.ok(!JSON.stringify(stages).includes("hunter2"), "a later stage is masked too");
  const kept = await import("node:fs/promises").then(({ readdir }) =>
    readdir(world.dataDir, { recursive: true, withFileTypes: true }),
  );
  for (const file of kept)
    if (file.isFile())
      assert.ok(!readFileSync(join(file.parentPath, file.name), "latin1").includes("hunter2"), file.name);
});
