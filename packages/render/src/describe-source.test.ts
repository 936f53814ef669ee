import assert from "node:assert/strict";
import { test } from "node:test";
import type { PluginSource } from "@capstan/model";
import { inProcessPlugin } from "@capstan/plugin-kit";
import { lovely } from "@capstan/plugin-lovely";
import { noSignal, startWorld } from "@capstan/testkit/render-world";

const label = inProcessPlugin({
  name: "label",
  parameters: [{ name: "tier", required: true }],
  transform: async (manifests) => ({ manifests, commands: [] }),
});

const pipeline = `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: {name: two}
spec:
  stages:
    - {plugin: helm, path: chart}
    - {plugin: label, parameters: [{name: tier, string: web}]}
`;

const files = {
  "two/capstan.yaml": pipeline,
  "two/chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "two/chart/values.yaml": "image: {tag: v1, ports: [80, 443]}\na.b: x\n",
  "two/chart/values-prod.yaml": "image: {tag: v2}\n",
  "kustom/kustomization.yaml": "resources: [pod.yaml]\nimages: [{name: nginx, newTag: '2'}]\n",
  "kustom/pod.yaml":
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: nginx:1}]}\n",
};

async function world() {
  const opened = await startWorld({ plugins: [label] });
  opened.repository.commit(files);
  return opened;
}

test("each stage of a pipeline says what it takes, and what the pipeline sets", async () => {
  await using opened = await world();
  // A stage that does not exist keeps the source from being rendered, not from being mended.
  const plugin: PluginSource = { parameters: [{ name: "absent/x", string: "1" }] };
  const { server, request } = opened;
  const { stages, helm } = await server.describeSource(request({ path: "two", plugin }), noSignal);
  assert.equal(helm, undefined);
  assert.deepEqual(
    stages.map(({ name, announced, parameters }) => ({ name, announced, parameters })),
    [
      {
        name: "helm",
        announced: [
          { name: "image.tag", string: "v1" },
          { name: "image.ports[0]", string: "80" },
          { name: "image.ports[1]", string: "443" },
          { name: "a\\.b", string: "x" },
        ],
        parameters: [],
      },
      {
        name: "label",
        announced: [{ name: "tier", required: true }],
        parameters: [{ name: "tier", string: "web" }],
      },
    ],
  );
});

test("a plugin that stands for several stages says what it takes itself, whatever these are", async () => {
  await using opened = await startWorld({ plugins: [lovely({})] });
  const named = pipeline.replace(
    / {4}- .*/s,
    "    - {plugin: lovely, path: chart}\n    - {plugin: lovely, name: again}\n",
  );
  opened.repository.commit({ ...files, "named/capstan.yaml": named, "named/chart/Chart.yaml": "name: c\n" });
  const { server, request } = opened;
  const about = async (path: string, plugin?: PluginSource) => {
    const source = { path, ...(plugin ? { plugin } : {}) };
    const { stages } = await server.describeSource(request(source), noSignal);
    return stages.map(({ name, plugin: by, announced }) => [name, by, announced.length > 20]);
  };
  assert.deepEqual(await about("two/chart", { name: "lovely" }), [["lovely", "lovely", true]]);
  assert.deepEqual(await about("named"), [
    ["lovely", "lovely", true],
    ["again", "lovely", true],
  ]);
});

test("a chart tells its values under the value files that are chosen, and which there are", async () => {
  await using opened = await world();
  const { server, request } = opened;
  const source = { path: "two/chart", helm: { valueFiles: ["values-prod.yaml"], values: "extra: 1\n" } };
  const { helm } = await server.describeSource(request(source), noSignal);
  assert.deepEqual(helm?.valueFiles, ["values-prod.yaml", "values.yaml"]);
  assert.deepEqual(helm?.parameters.slice(0, 1), [{ name: "image.tag", value: "v2" }]);
  assert.deepEqual(helm?.parameters.at(-1), { name: "extra", value: "1" });
});

test("a kustomization tells its images as they are without overrides", async () => {
  await using opened = await world();
  const { server, request } = opened;
  const source = { path: "kustom", kustomize: { images: ["nginx:9"] } };
  const { kustomize } = await server.describeSource(request(source), noSignal);
  assert.deepEqual(kustomize?.images, ["nginx:2"]);
});

test("a plugin that makes no manifests is refused alone: it would render nothing", async () => {
  await using opened = await world();
  await assert.rejects(
    opened.render({ path: "kustom", plugin: { name: "label" } }),
    /use it as a stage of a pipeline/,
  );
});
