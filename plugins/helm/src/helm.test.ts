import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { ApplicationSource, HelmSource } from "@capstan/model";
import { failsWith, startWorld, type TestRepository } from "@capstan/testkit/render-world";
import type { ManifestRequest } from "@capstan/wire";

const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data:
  all: {{ .Values | toJson | quote }}
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
  api: {{ .Capabilities.APIVersions.Has "example.com/v1" | quote }}
`;

const chart = {
  "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n",
  "chart/values.yaml": "from: chart\n",
  "chart/templates/config.yaml": template,
};

type Files = Parameters<TestRepository["commit"]>[0];

interface Case {
  files?: Files;
  source?: Partial<ApplicationSource>;
  request?: Partial<ManifestRequest>;
}

async function render(helm: HelmSource, { files = {}, source = {}, request = {} }: Case = {}) {
  await using world = await startWorld();
  world.repository.commit({ ...chart, ...files });
  const answer = await world.render({ path: "chart", helm, ...source }, request);
  const data = answer.manifests.find(({ manifest }) => manifest.kind === "ConfigMap")?.manifest.data;
  assert.ok(isRecord(data));
  const values: unknown = JSON.parse(String(data.all));
  return { ...answer, data, values };
}

test("later sources of values win: chart, valueFiles in order, values, parameters", async () => {
  const files = {
    "chart/one.yaml": "a: one\nb: one\nc: one\nd: one\n",
    "chart/two.yaml": "b: two\nc: two\nd: two\n",
  };
  const { values, commands, sourceType } = await render(
    {
      valueFiles: ["one.yaml", "two.yaml"],
      values: "c: own\nd: own\n",
      parameters: [{ name: "d", value: "set" }],
    },
    { files },
  );
  assert.deepEqual(values, { from: "chart", a: "one", b: "two", c: "own", d: "set" });
  assert.equal(sourceType, "Helm");
  assert.match(
    commands[0] ?? "",
    /^helm template \. --name-template web --namespace shop --kube-version v1\.34\.0 --set d=set/,
  );
});

test("valuesObject wins over values", async () => {
  const { values } = await render({ values: "a: text", valuesObject: { a: "object", n: 1 } });
  assert.deepEqual(values, { from: "chart", a: "object", n: 1 });
});

test("parameters: commas are part of the value unless it is a list, forceString keeps strings, variables are replaced", async () => {
  const { values } = await render({
    parameters: [
      { name: "comma", value: "a,b" },
      { name: "list", value: "{a,b}" },
      { name: "number", value: "1" },
      { name: "text", value: "1", forceString: true },
      { name: "app", value: "$ARGOCD_APP_NAME-$ARGOCD_APP_NAMESPACE" },
    ],
  });
  assert.deepEqual(values, {
    from: "chart",
    comma: "a,b",
    list: ["a", "b"],
    number: 1,
    text: "1",
    app: "web-shop",
  });
});

test("value files: from the repository's root, by glob in order, each once, listed ones not from the glob", async () => {
  const files = {
    "common/base.yaml": "base: yes-please\nx: base\n",
    "chart/envs/a.yaml": "x: a\na: 1\n",
    "chart/envs/deep/b.yaml": "x: b\nb: 1\n",
    "chart/envs/last.yaml": "x: last\n",
  };
  const valueFiles = ["/common/base.yaml", "envs/**/*.yaml", "../common/base.yaml", "envs/a.yaml"];
  const { values, commands } = await render({ valueFiles }, { files });
  assert.deepEqual(values, { from: "chart", base: "yes-please", x: "a", b: 1, a: 1 });
  assert.deepEqual(commands[0]?.match(/--values \S+/g), [
    "--values ./common/base.yaml",
    "--values ./chart/envs/deep/b.yaml",
    "--values ./chart/envs/last.yaml",
    "--values ./chart/envs/a.yaml",
  ]);
});

test("a missing value file is named; with ignoreMissingValueFiles it is passed over", async () => {
  const missing = { valueFiles: ["gone.yaml"] };
  await assert.rejects(
    render(missing),
    failsWith({ code: "FILE_MISSING", file: "chart/gone.yaml", neededBy: "source.helm.valueFiles" }),
  );
  await assert.rejects(
    render({ valueFiles: ["*.none"] }),
    failsWith({ code: "FILE_MISSING", file: "chart/*.none" }),
  );
  await assert.rejects(render({ valueFiles: ["../../x.yaml"] }), failsWith({ code: "PATH_OUTSIDE" }));
  await assert.rejects(
    render({ valueFiles: ["s3://x/y.yaml"] }),
    failsWith({ code: "INVALID_ARGUMENT" }, /scheme s3 is not allowed/),
  );
  const { values } = await render({ ...missing, ignoreMissingValueFiles: true });
  assert.deepEqual(values, { from: "chart" });
});

test("fileParameters give the content of files", async () => {
  const { values } = await render(
    { fileParameters: [{ name: "text", path: "/files/x.txt" }] },
    { files: { "files/x.txt": "hello, you" } },
  );
  assert.deepEqual(values, { from: "chart", text: "hello, you" });
});

test("release name, namespace, Kubernetes and API versions", async () => {
  const { manifests, data } = await render(
    { releaseName: "mine", namespace: "there", kubeVersion: "v1.30.2+k3s1", apiVersions: ["example.com/v1"] },
    { request: { apiVersions: ["other/v1"] } },
  );
  assert.deepEqual(manifests[0]?.manifest.metadata, { name: "mine", namespace: "there" });
  assert.equal(data.kube, "v1.30.2");
  assert.equal(data.api, "true");
  const outside = await render({}, { request: { appName: "team_web" } });
  assert.equal(
    outside.manifests[0]?.manifest.metadata.name,
    "web",
    "the namespace is no part of the release's name",
  );
});

test("CRDs are included unless skipped, tests too", async () => {
  const files = {
    "chart/crds/x.yaml":
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.example.com}\n",
    "chart/templates/tests/t.yaml":
      "apiVersion: v1\nkind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n",
  };
  const kinds = async (helm: HelmSource) =>
    (await render(helm, { files })).manifests.map(({ manifest }) => manifest.kind).sort();
  assert.deepEqual(await kinds({}), ["ConfigMap", "CustomResourceDefinition", "Pod"]);
  assert.deepEqual(await kinds({ skipCrds: true, skipTests: true }), ["ConfigMap"]);
});

test("a values schema is kept to unless that is skipped", async () => {
  const files = {
    "chart/values.schema.json": '{"type":"object","properties":{"from":{"type":"number"}}}',
  };
  await assert.rejects(render({}, { files }), failsWith({ code: "TOOL_FAILED" }, /from/));
  const { values } = await render({ skipSchemaValidation: true }, { files });
  assert.deepEqual(values, { from: "chart" });
});

test("what helm said is not hidden behind all the versions that it was told", async () => {
  const files = { "chart/templates/more.yaml": '{{ required "colour is missing" .Values.colour }}\n' };
  await assert.rejects(
    render({}, { files, request: { apiVersions: ["a/v1", "b/v1"] } }),
    failsWith({ code: "TOOL_FAILED" }, /<api versions removed> --include-crds\): .*colour is missing/),
  );
});

test("version is v3 or v4, and the program of that name is taken where there is one", async () => {
  assert.deepEqual((await render({ version: "v3" })).values, { from: "chart" });
  await assert.rejects(
    render({ version: "v2" }),
    failsWith({ code: "INVALID_ARGUMENT", field: "source.helm.version" }, /neither v3 nor v4/),
  );
});

test("manifests know the template they come from", async () => {
  const { manifests } = await render({});
  assert.deepEqual(manifests[0]?.origin, { file: "chart/templates/config.yaml" });
});

test("a chart that it depends on by file:// in the repository is built in when it is missing", async () => {
  const files = {
    "chart/Chart.yaml":
      "apiVersion: v2\nname: chart\nversion: 0.1.0\ndependencies:\n- {name: lib, version: 0.1.0, repository: 'file://../libs/lib'}\n",
    "libs/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.1.0\n",
    "libs/lib/templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: of-lib}\n",
  };
  const { manifests, commands } = await render({}, { files });
  assert.deepEqual(
    manifests.map(({ manifest }) => manifest.metadata.name),
    ["of-lib", "web"],
  );
  assert.deepEqual(
    commands.map((command) => command.split(" ").slice(0, 3).join(" ")),
    ["helm package ./libs/lib", "helm template ."],
  );
  const other = { ...files, "libs/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.2.0\n" };
  await assert.rejects(
    render({}, { files: other }),
    failsWith(
      { code: "FAILED_PRECONDITION" },
      /lib at libs\/lib.*version is 0\.2\.0, but "0\.1\.0" is asked/,
    ),
  );
});

test("a dependency that cannot be had is said by name", async () => {
  const files = {
    "chart/Chart.yaml":
      "apiVersion: v2\nname: chart\nversion: 0.1.0\ndependencies:\n- {name: lib, version: 0.1.0, repository: 'http://127.0.0.1:9/charts'}\n",
  };
  await assert.rejects(
    render({}, { files }),
    failsWith({ code: "REPOSITORY_UNREACHABLE" }, /127\.0\.0\.1:9\/charts/),
  );
});

test("a dependency whose host says nothing is given up in time and named", async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/charts`;
  const dependency = { name: "lib", version: "0.1.0", repository: url };
  await using world = await startWorld({ limits: { requestTimeoutMs: 200 } });
  const targetRevision = world.repository.commit({
    ...chart,
    "chart/Chart.yaml": JSON.stringify({
      apiVersion: "v2",
      name: "chart",
      version: "0.1.0",
      dependencies: [dependency],
    }),
  });
  try {
    // A commit: the branch would have to be looked up within the same limit.
    await assert.rejects(
      world.render({ path: "chart", targetRevision }),
      failsWith({ code: "REPOSITORY_UNREACHABLE", repository: url }, /gave no answer within 0\.2 s/),
    );
  } finally {
    silent.close();
  }
});

test("$ref value files come from another repository at its own commit", async () => {
  await using other = await startWorld();
  other.repository.commit({ "envs/prod.yaml": "from: other\n", "envs/web.yaml": "name: web\n" });
  const ref = {
    repository: { url: other.repository.url },
    source: { repoURL: other.repository.url, targetRevision: "main", ref: "values" },
  };
  const helm = { valueFiles: ["$values/envs/prod.yaml", "$values/envs/$ARGOCD_APP_NAME.yaml"] };
  const { values } = await render(helm, { request: { refSources: { values: ref } } });
  assert.deepEqual(values, { from: "other", name: "web" });
  await assert.rejects(
    render({ valueFiles: ["$values/gone.yaml"] }, { request: { refSources: { values: ref } } }),
    failsWith({ code: "FILE_MISSING", file: "$values/gone.yaml" }),
  );
  const ofChart = { values: { ...ref, source: { ...ref.source, chart: "x" } } };
  await assert.rejects(
    render(helm, { request: { refSources: ofChart } }),
    failsWith({ code: "INVALID_ARGUMENT" }, /names a chart/),
  );
});

test("a disabled type is rendered as a directory", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "app/Chart.yaml": "name: x\n",
    "app/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n",
  });
  const settings = { disabledTypes: ["Helm"] } as const;
  for (const source of [{}, { helm: {} }]) {
    const { sourceType, manifests } = await world.render({ path: "app", ...source }, { settings });
    assert.equal(sourceType, "Directory");
    assert.equal(manifests.length, 1);
  }
});
