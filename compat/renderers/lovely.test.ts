/** The examples of argocd-lovely-plugin's documentation, with a chart of ours for the one they depend on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PluginSource } from "@capstan/model";
import { lovely } from "@capstan/plugin-lovely";
import { type Files, lacking, startChartServer } from "@capstan/testkit";
import { openRenderWorld } from "./render-world.ts";

const skip = lacking("helm4", "kustomize");

const hello = {
  name: "hello-world",
  version: "0.1.0",
  files: {
    "values.yaml": "replicaCount: 1\n",
    "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: '{{ .Release.Name }}-hello-world'}
spec:
  replicas: {{ .Values.replicaCount }}
  selector: {matchLabels: {app: hello}}
  template:
    metadata: {labels: {app: hello}}
    spec: {containers: [{name: hello-world, image: nginx, ports: [{name: http, containerPort: 80}]}]}
`,
    "templates/service.yaml":
      "apiVersion: v1\nkind: Service\nmetadata: {name: '{{ .Release.Name }}-hello-world'}\nspec: {ports: [{port: 80}]}\n",
  },
};

const secret =
  "apiVersion: v1\nkind: Secret\nmetadata: {name: mysecret}\nstringData: {USER_NAME: '<value>'}\n";

const chartOf = (url: string) =>
  JSON.stringify({
    apiVersion: "v2",
    name: "hello-world",
    version: "1.0.0",
    dependencies: [{ name: "hello-world", version: "0.1.0", repository: url }],
  });

async function renderExample(files: (url: string) => Files, plugin: Omit<PluginSource, "name"> = {}) {
  await using server = await startChartServer([hello]);
  const plugins = [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true" })];
  await using world = await openRenderWorld(files(server.url), { plugins });
  const answer = await world.render({ path: "app", plugin: { name: "lovely", ...plugin } });
  return {
    objects: answer.manifests.map(({ manifest }) => manifest),
    names: answer.manifests.map(({ manifest: { kind, metadata } }) => `${kind} ${metadata.name}`),
    stages: answer.timings.stages.map(({ name }) => name),
  };
}

test("examples/kustomize-helm: a chart patched by kustomize, and a plain Secret beside it", {
  skip,
}, async () => {
  const { objects, names, stages } = await renderExample((url) => ({
    "app/chart/Chart.yaml": chartOf(url),
    "app/chart/values.yaml": "hello-world: {replicaCount: 2}\n",
    "app/chart/kustomization.yaml":
      "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: liveness-patch.yml\n  target: {kind: Deployment}\n",
    "app/chart/liveness-patch.yml":
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: patch-liveness-readiness}\nspec: {template: {spec: {containers: [{name: hello-world, livenessProbe: {httpGet: {path: /, port: http}}}]}}}\n",
    "app/secret/secret.yml": secret,
  }));
  assert.deepEqual(names, ["Service web-hello-world", "Deployment web-hello-world", "Secret mysecret"]);
  assert.deepEqual(stages, ["chart helm", "chart kustomize", "secret yaml"]);
  const text = JSON.stringify(objects[1]);
  assert.match(text, /"livenessProbe":\{"httpGet":\{"path":"\/","port":"http"\}\}/);
  assert.match(text, /"replicas":2/);
});

test("examples/multiple-helm-charts: every chart of the folder", { skip }, async () => {
  const { names } = await renderExample((url) => ({
    "app/chart1/Chart.yaml": chartOf(url),
    "app/chart1/values.yaml": "hello-world: {replicaCount: 1}\n",
    "app/chart2/Chart.yaml": chartOf(url),
    "app/chart2/values.yaml": "hello-world: {replicaCount: 3}\n",
  }));
  const one = ["Service web-hello-world", "Deployment web-hello-world"];
  assert.deepEqual(names.toSorted(), [...one, ...one].toSorted());
});

test("examples/argocd-vault-replacer: a command replaces placeholders in all of it", { skip }, async () => {
  const { objects, names } = await renderExample(
    (url) => ({
      "app/chart/Chart.yaml": chartOf(url),
      "app/configmap/kustomization.yaml":
        "configMapGenerator:\n- name: index.html\n  files: [index.html]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
      "app/configmap/index.html": "hello <value>\n",
      "app/secret/secret.yml": secret,
    }),
    { env: [{ name: "LOVELY_PLUGINS", value: "sed 's/<value>/replaced/'" }] },
  );
  assert.equal(names.length, 4);
  assert.doesNotMatch(JSON.stringify(objects), /<value>/);
  assert.equal(JSON.stringify(objects).match(/replaced/g)?.length, 2);
});

test("examples/applicationsets: values of a generator come as variables of the application", {
  skip,
}, async () => {
  const { objects } = await renderExample((url) => ({ "app/Chart.yaml": chartOf(url) }), {
    env: [
      {
        name: "LOVELY_HELM_PATCH",
        value: '[{"op": "add", "path": "/hello-world", "value": {"replicaCount": 5}}]',
      },
    ],
  });
  assert.match(JSON.stringify(objects), /"replicas":5/);
});

test("a Pipeline gives lovely the name and settings of a sidecar, and stages may follow", {
  skip,
}, async () => {
  await using server = await startChartServer([hello]);
  const stages = [
    { plugin: "lovely", env: [{ name: "LOVELY_PLUGINS", value: "sed s/hello-world/hello-moon/" }] },
    { plugin: "kustomize", input: "all.yaml" },
  ];
  const pipeline = {
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline" as const,
    metadata: { name: "argocd-lovely-plugin-v1.0" },
    spec: { stages },
  };
  await using world = await openRenderWorld(
    {
      "app/one/Chart.yaml": chartOf(server.url),
      "app/two/secret.yaml": secret,
    },
    { plugins: [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true" })], pipelines: () => [pipeline] },
  );
  const plugin = { name: "argocd-lovely-plugin-v1.0" };
  await assert.rejects(world.render({ path: "app", plugin }), /stage kustomize: .*kustomization\.yaml/);
  pipeline.spec.stages.pop();
  const { manifests, timings } = await world.render({ path: "app", plugin }, { noCache: true });
  assert.deepEqual(
    timings.stages.map(({ name }) => name),
    ["one helm", "one plugins", "two plugins"],
  );
  assert.ok(manifests.some(({ manifest }) => manifest.metadata.name === "web-hello-moon"));
});

test("LOVELY_HELM_REPO_ADD_PARAMS logs in to the repository of a dependency, and tells no password when it fails", {
  skip,
}, async () => {
  const credentials = { username: "robot", password: "right" };
  await using server = await startChartServer([hello], { credentials });
  const renderWith = async (password: string) => {
    const plugins = [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true" })];
    await using world = await openRenderWorld({ "app/Chart.yaml": chartOf(server.url) }, { plugins });
    const value = `--username robot --password ${password} --pass-credentials`;
    const env = [{ name: "LOVELY_HELM_REPO_ADD_PARAMS", value }];
    return await world.render({ path: "app", plugin: { name: "lovely", env } });
  };
  assert.equal((await renderWith("right")).manifests.length, 2);
  await assert.rejects(renderWith("wrong-password"), (error: Error) => {
    assert.match(error.message, /127\.0\.0\.1:\d+.* 401/s);
    assert.doesNotMatch(error.message, /wrong-password/);
    return true;
  });
});

test("dependencies in requirements.yaml of a chart of Helm 2 are fetched too", { skip }, async () => {
  const { names } = await renderExample((url) => ({
    "app/Chart.yaml": "apiVersion: v1\nname: old\nversion: 1.0.0\n",
    "app/requirements.yaml": JSON.stringify({
      dependencies: [{ name: "hello-world", version: ">=0.1.0", repository: url }],
    }),
  }));
  assert.deepEqual(names, ["Service web-hello-world", "Deployment web-hello-world"]);
});

test("test/preprocessor: a chart is changed before what it depends on is fetched", { skip }, async () => {
  const { names, stages } = await renderExample(
    (url) => ({ "app/Chart.yaml": chartOf(url).replace('"version":"0.1.0"', '"version":"WANTED"') }),
    { env: [{ name: "LOVELY_PREPROCESSORS", value: "sed -i s/WANTED/0.1.0/ Chart.yaml" }] },
  );
  assert.deepEqual(names, ["Service web-hello-world", "Deployment web-hello-world"]);
  assert.deepEqual(stages.slice(0, 2), ["preprocess", "helmfile"]);
});
