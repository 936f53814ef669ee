/** lovely's way over helmfile, with the real program. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { lovely } from "@capstan/plugin-lovely";
import type { RepoServerOptions } from "@capstan/render";
import { type Files, lacking, startChartServer } from "@capstan/testkit";
import { openRenderWorld } from "./render-world.ts";

const skip = lacking("helmfile");
const sandboxProgram = "bwrap";
const hasSandbox = spawnSync(sandboxProgram, ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;

const chart: Files = {
  "app/charts/hello/Chart.yaml": "apiVersion: v2\nname: hello\nversion: 0.1.0\n",
  "app/charts/hello/values.yaml": "colour: grey\nsize: 1\n",
  "app/charts/hello/templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}'}
data:
  colour: '{{ .Values.colour }}'
  size: '{{ .Values.size }}'
  api: '{{ .Capabilities.APIVersions.Has "example.com/v1" }}'
  kube: '{{ .Capabilities.KubeVersion }}'
`,
  "app/charts/hello/crds/x.yaml":
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.example.com}\n",
};
const release = "- name: one\n  namespace: there\n  chart: ./charts/hello\n  values:\n  - colour: blue\n";
const helmfile = `releases:\n${release}`;

interface Case {
  readonly files: Files;
  /** The application's variables. */
  readonly env?: Record<string, string>;
  readonly world?: Partial<RepoServerOptions>;
}

async function render({ files, env = {}, world: options = {} }: Case) {
  const plugins = [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true" })];
  await using world = await openRenderWorld({ ...chart, ...files }, { plugins, ...options });
  const own = Object.entries(env).map(([name, value]) => ({ name, value }));
  const answer = await world.render({ path: "app", plugin: { name: "lovely", env: own } });
  const objects = answer.manifests.map(({ manifest }) => manifest);
  return { objects, names: objects.map(({ metadata }) => metadata.name), commands: answer.commands };
}

/** Data of the ConfigMap that the chart makes. */
async function dataOf(given: Case): Promise<Record<string, unknown>> {
  const { objects } = await render(given);
  const data = objects.find(({ kind }) => kind === "ConfigMap")?.data;
  assert.ok(isRecord(data));
  return data;
}

test("a local chart with values, CRDs or none, and no network", { skip }, async () => {
  const away = {
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    LOVELY_ENV_PROPAGATION: "true",
  };
  const { objects, names, commands } = await render({ files: { "app/helmfile.yaml": helmfile }, env: away });
  assert.deepEqual(names, ["xs.example.com", "one"]);
  assert.equal(objects[1]?.metadata.namespace, "there");
  assert.deepEqual(commands, ["helmfile template --include-crds"]);
  const bare = { LOVELY_HELMFILE_CRDS: "false" };
  assert.deepEqual((await render({ files: { "app/helmfile.yaml": helmfile }, env: bare })).names, ["one"]);
});

test("environments, values files, plain variables and the cluster's versions", { skip }, async () => {
  const files = {
    "app/helmfile.yaml.gotmpl": `environments:
  default: {values: [{colour: grey}]}
  prod: {values: [{colour: gold}]}
---
kubeVersion: {{ env "KUBE_VERSION" }}
releases:
- name: one
  chart: ./charts/hello
  values:
  - colour: {{ .Values.colour }}
  - env/{{ .Environment.Name }}.yaml
`,
    "app/env/default.yaml": "size: 2\n",
    "app/env/prod.yaml.gotmpl": "",
    "app/env/prod.yaml": "size: 3\n",
  };
  const plain = await dataOf({ files });
  assert.deepEqual([plain.colour, plain.size, plain.kube], ["grey", "2", "v1.34.0"]);
  const prod = await dataOf({ files, env: { LOVELY_HELMFILE_TEMPLATE_PARAMS: "--environment prod" } });
  assert.deepEqual([prod.colour, prod.size], ["gold", "3"]);
  const required = {
    "app/helmfile.yaml.gotmpl": helmfile.replace("blue", '{{ requiredEnv "COLOUR" }}'),
  };
  const env = { COLOUR: "red", LOVELY_ENV_PROPAGATION: "true" };
  assert.equal((await dataOf({ files: required, env })).colour, "red");
  await assert.rejects(
    render({ files: required, env: { COLOUR: "red" } }),
    /plugin lovely failed in app\/helmfile\.yaml\.gotmpl: .*required env var `COLOUR` is not set/,
  );
});

test("LOVELY_HELMFILE_MERGE, then LOVELY_HELMFILE_PATCH, and arguments in quotes", { skip }, async () => {
  const files = { "app/helmfile.yaml": helmfile };
  const env = {
    LOVELY_HELMFILE_MERGE: "releases:\n- name: merged\n  chart: ./charts/hello\n  values: [{size: 5}]\n",
    LOVELY_HELMFILE_PATCH: "- {op: replace, path: /releases/0/values/0/size, value: 6}\n",
    LOVELY_HELMFILE_TEMPLATE_PARAMS: '--args "-a example.com/v1 --kube-version 1.30.1"',
  };
  const { colour, size, api, kube } = await dataOf({ files, env });
  assert.deepEqual([colour, size, api, kube], ["grey", "6", "true", "v1.30.1"]);
});

test("helmfile.d is all that is rendered beside it, and kustomize works over what a helmfile made", {
  skip,
}, async () => {
  const inFolder = (name: string) => helmfile.replace("one", name).replace("./charts", "../charts");
  const files = {
    "app/helmfile.d/a.yaml": inFolder("a"),
    "app/helmfile.d/b.yaml": inFolder("b"),
    "app/z.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: never}\n",
  };
  const env = { LOVELY_HELMFILE_CRDS: "false" };
  assert.deepEqual((await render({ files, env })).names.toSorted(), ["a", "b"]);
  const ordered = { ...env, LOVELY_HELMFILE_TEMPLATE_PARAMS: "--sequential-helmfiles" };
  assert.deepEqual((await render({ files, env: ordered })).names, ["a", "b"]);
  const over = { "app/helmfile.yaml": helmfile, "app/kustomization.yaml": "namePrefix: over-\n" };
  assert.deepEqual((await render({ files: over, env })).names, ["over-one"]);
});

test("charts of a repository, with its login; one that does not let in or cannot be reached is named", {
  skip,
}, async () => {
  const far = {
    name: "far",
    version: "1.0.0",
    files: { "templates/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n" },
  };
  await using server = await startChartServer([far], {
    credentials: { username: "robot", password: "right" },
  });
  const from = (url: string, password: string) => ({
    files: {
      "app/helmfile.yaml": `repositories: [{name: charts, url: "${url}", username: robot, password: ${password}}]
releases: [{name: a, chart: charts/far}]
`,
    },
  });
  assert.deepEqual((await render(from(server.url, "right"))).names, ["far"]);
  await assert.rejects(render(from(server.url, "wrong-password")), (error: Error) => {
    assert.match(
      error.message,
      /plugin lovely failed in app\/helmfile\.yaml: helm: Error: .*127\.0\.0\.1:\d+\/index\.yaml : 401/,
    );
    assert.doesNotMatch(error.message, /wrong-password|ARGS|COMBINED/);
    return true;
  });
  await assert.rejects(
    render(from("http://127.0.0.1:9/charts", "x")),
    /"http:\/\/127\.0\.0\.1:9\/charts" is not a valid chart repository or cannot be reached/,
  );
});

test("a repository that never answers ends with the render's time, and is named", { skip }, async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const files = {
    "app/helmfile.yaml": `repositories: [{name: charts, url: "http://127.0.0.1:${port}"}]\nreleases: [{name: a, chart: charts/far}]\n`,
  };
  try {
    await assert.rejects(
      render({ files, world: { limits: { renderTimeoutMs: 2_000 } } }),
      new RegExp(`helmfile, which asks 127\\.0\\.0\\.1:${port}, took longer than 2 s`),
    );
  } finally {
    silent.close();
  }
});

test("what a helmfile or a chart of it does wrong is said with the file, and with what helm said", {
  skip,
}, async () => {
  const bad: [Files, RegExp][] = [
    [
      { "app/helmfile.yaml": "releases: [\n" },
      /in app\/helmfile\.yaml: .*yaml: line 1: did not find expected node content/,
    ],
    [
      { "app/helmfile.yaml": helmfile.replace("charts/hello", "charts/gone") },
      /in app\/helmfile\.yaml: helm: Error: path ".\/charts\/gone" not found$/,
    ],
    [
      { "app/helmfile.yaml": helmfile.replace("colour: blue", "gone.yaml") },
      /in app\/helmfile\.yaml: values file matching "gone\.yaml" does not exist/,
    ],
    [
      {
        "app/helmfile.yaml": helmfile,
        "app/charts/hello/templates/config.yaml": 'a: {{ fail "no colour" }}',
      },
      /in app\/helmfile\.yaml: helm: Error: execution error at \(hello\/templates\/config\.yaml:1:6\): no colour/,
    ],
    [
      { "app/helmfile.yaml": "helmfiles: [{path: sub/helmfile.yaml}]\n", "app/sub/helmfile.yaml": helmfile },
      /in app\/helmfile\.yaml: in \.helmfiles\[0\]: in sub\/helmfile\.yaml: helm: Error: path ".\/charts\/hello" not found/,
    ],
    [{ "app/helmfile.yaml": "releases: []\n" }, /no releases found/],
  ];
  for (const [files, message] of bad) await assert.rejects(render({ files }), message);
});

test("what a helmfile has run sees nothing of the machine", {
  skip: skip || (!hasSandbox && "bwrap does not work here"),
}, async () => {
  await using world = await openRenderWorld(chart, { plugins: [lovely({})] });
  const look = `test -e ${world.dataDir} && echo seen || echo hidden`;
  const called = `'{{ exec "sh" (list "-c" "${look}") | trim }}'`;
  await world.repository.commit({ "app/helmfile.yaml.gotmpl": helmfile.replace("blue", called) });
  const { manifests } = await world.render({ path: "app", plugin: { name: "lovely" } });
  const config = manifests.find(({ manifest }) => manifest.kind === "ConfigMap");
  assert.equal(isRecord(config?.manifest.data) && config.manifest.data.colour, "hidden");
});
