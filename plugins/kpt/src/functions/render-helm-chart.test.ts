import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { printAll, readYaml } from "@capstan/krm-yaml";
import { folderCharts } from "../chart-tools.ts";
import type { FunctionContext, ResourceList } from "../function.ts";
import { identityOf } from "../item.ts";
import { renderHelmChart } from "./render-helm-chart.ts";

const top = mkdtempSync(join(tmpdir(), "capstan-render-helm-"));
after(() => rmSync(top, { recursive: true, force: true }));

const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
  namespace: {{ .Release.Namespace }}
data:
  # the colour
  colour: {{ .Values.colour | quote }}
  size: {{ .Values.size | quote }}
  deep: {{ .Values.deep | toJson | quote }}
  routes: {{ .Capabilities.APIVersions.Has "example.com/v1" | quote }}
`;
const podTest =
  'apiVersion: v1\nkind: Pod\nmetadata: {name: probe, annotations: {"helm.sh/hook": test}}\nspec: {containers: []}\n';
const crd =
  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lamps.example.com}\n";
const chart = {
  "charts/lamp/Chart.yaml": "apiVersion: v2\nname: lamp\nversion: 1.0.0\n",
  "charts/lamp/values.yaml": 'colour: red\nsize: ""\ndeep: {a: 1}\n',
  "charts/lamp/templates/map.yaml": template,
  "charts/lamp/templates/tests/probe.yaml": podTest,
  "charts/lamp/crds/lamp.yaml": crd,
};

let count = 0;

function folder(files: Record<string, string> = {}): string {
  const root = join(top, `pkg${count++}`);
  for (const [path, content] of Object.entries({ ...chart, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const clock = { now: () => 0, sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }) };
const context: FunctionContext = {
  signal: new AbortController().signal,
  clock,
  env: process.env,
  allowNetwork: false,
  readFile: async () => undefined,
};

const read = (source: string): ResourceList["items"] =>
  readYaml("input.yaml", source).flatMap(({ root, head, foot }) =>
    root.kind === "mapping" ? [{ root, head, foot }] : [],
  );

async function render(root: string, config: unknown, input = "") {
  const functionConfig = read(JSON.stringify(config))[0]?.root;
  const list: ResourceList = { items: read(input), functionConfig, results: [] };
  const end = await renderHelmChart(list, { ...context, withCharts: folderCharts(root, context) });
  const output = printAll(list.items.map((item) => ({ ...item, seqIndent: "compact" })));
  const names = list.items.map((item) => `${identityOf(item).kind} ${identityOf(item).name}`);
  return { output, names, stderr: end?.stderr ?? "" };
}

const configMap = (data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "function-input" },
  data,
});
const lamp = { chartArgs: { name: "lamp" } };
const charts = (helmCharts: unknown, chartHome = "charts") => ({
  apiVersion: "fn.kpt.dev/v1alpha1",
  kind: "RenderHelmChart",
  metadata: { name: "lamps" },
  helmGlobals: { chartHome },
  helmCharts,
});
const withOptions = (templateOptions: object) => charts([{ ...lamp, templateOptions }]);

test("a ConfigMap names a chart of the package; what it renders is added with its comments", async () => {
  const data = { chartHome: "charts", name: "lamp", releaseName: "my", namespace: "shop" };
  const done = await render(
    folder(),
    configMap(data),
    "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n",
  );
  assert.equal(done.stderr, "");
  assert.deepEqual(done.names, ["ConfigMap my-lamp", "Pod probe", "Service s"]);
  assert.match(
    done.output,
    /# Source: lamp\/templates\/map\.yaml\n.*\n.*\n.*\n {2}name: my-lamp\n {2}namespace: shop/,
  );
  assert.match(done.output, / {2}# the colour\n {2}colour: "red"\n/);
});

test("CRDs only if they are wanted, tests unless they are not, APIs as named", async () => {
  const full = withOptions({ includeCRDs: true, skipTests: true, apiVersions: ["example.com/v1"] });
  const done = await render(folder(), full);
  assert.equal(done.stderr, "");
  assert.deepEqual(done.names, ["CustomResourceDefinition lamps.example.com", "ConfigMap release-name-lamp"]);
  assert.match(done.output, /routes: "true"/);
  const data = {
    chartHome: "charts",
    name: "lamp",
    includeCRDs: "true",
    skipTests: "true",
    nameTemplate: "n",
  };
  const asMap = await render(folder(), configMap(data));
  assert.deepEqual(asMap.names, ["CustomResourceDefinition lamps.example.com", "ConfigMap n-lamp"]);
});

test("inline values win over files, fill their gaps or stand alone", async () => {
  const root = folder({
    "values/one.yaml": "colour: one\ndeep: {b: 2}\n",
    "values/two.yaml": "colour: two\nsize: two\n",
  });
  const valuesInline = { colour: "inline", size: "inline", deep: { c: 3 } };
  const dataOf = async (values: object): Promise<string> => {
    const done = await render(root, withOptions({ skipTests: true, values }));
    assert.equal(done.stderr, "");
    const found = [...done.output.matchAll(/^ {2}(?:colour|size|deep): (.*)$/gm)].map(([, value]) => value);
    return found.join(" ");
  };
  const all = (c: string) => String.raw`"{\"a\":1,${c}\"c\":3}"`;
  assert.equal(await dataOf({ valuesInline }), `"inline" "inline" ${all("")}`);
  assert.equal(await dataOf({ valuesInline, valuesMerge: "merge" }), `"red" "inline" ${all("")}`);
  const one = ["values/one.yaml"];
  assert.equal(
    await dataOf({ valuesFiles: one, valuesInline, valuesMerge: "merge" }),
    `"one" "inline" ${all(String.raw`\"b\":2,`)}`,
  );
  assert.equal(
    await dataOf({ valuesFiles: one, valuesInline, valuesMerge: "replace" }),
    `"inline" "inline" ${all("")}`,
  );
  const empty = { colour: null, deep: { a: null }, size: "set" };
  assert.equal(
    await dataOf({ valuesInline: empty, valuesMerge: "merge" }),
    String.raw`"red" "set" "{\"a\":1}"`,
  );
  assert.equal(await dataOf({ valuesInline: { deep: { a: null } } }), '"red" "" "{}"');
  const two = [...one, "values/two.yaml"];
  assert.equal(await dataOf({ valuesFiles: two }), String.raw`"one" "two" "{\"a\":1,\"b\":2}"`);
});

test("what is there already stays as it is, so that a second render changes nothing", async () => {
  const root = folder();
  const first = await render(root, withOptions({ releaseName: "my" }));
  const changed = first.output.replace('"red"', '"green"');
  const second = await render(root, withOptions({ releaseName: "my" }), changed);
  assert.equal(second.output, changed);
});

test("a name cannot be an option of helm", async () => {
  const done = await render(folder(), withOptions({ releaseName: "--include-crds" }));
  assert.match(done.stderr, /invalid release name|release name/);
  assert.deepEqual(done.names, []);
});

test("what lies outside of the package is refused", async () => {
  const says = (field: string, path: string) =>
    `failed to evaluate function: failed to run function: ${field} "${path}" lies outside of the package. Put it into the package and name it by its path from there`;
  const root = folder({ "inner/Kptfile": "" });
  const inner = join(root, "inner");
  const up = await render(inner, charts([lamp], "../charts"));
  assert.equal(up.stderr, says("chart", "../charts/lamp"));
  const absolute = await render(inner, charts([lamp], "/tmp/charts"));
  assert.equal(absolute.stderr, says("chart", "/tmp/charts/lamp"));
  symlinkSync("../charts", join(inner, "charts"));
  assert.equal((await render(inner, charts([lamp]))).stderr, says("chart", "charts/lamp"));
  const values = await render(root, withOptions({ values: { valuesFiles: ["../v.yaml"] } }));
  assert.equal(values.stderr, says("values file", "../v.yaml"));
  writeFileSync(join(top, "secret.yaml"), "a: b\n");
  symlinkSync(join(top, "secret.yaml"), join(root, "charts/lamp/templates/link.yaml"));
  assert.equal((await render(root, charts([lamp]))).stderr, says("chart: the link", "link.yaml"));
});

test("a configuration that is wrong is told with the field", async () => {
  const root = folder();
  const told = async (config: unknown): Promise<string> => {
    const { stderr } = await render(root, config);
    return stderr.replace("failed to evaluate function: failed to configure function: ", "");
  };
  const kinds = "`functionConfig` must be `ConfigMap` or `RenderHelmChart`";
  assert.equal(await told({ apiVersion: "v1", kind: "Secret", metadata: { name: "x" } }), kinds);
  assert.equal(await told(configMap({ chartHome: "charts" })), "data.name must name the chart");
  assert.equal(await told(charts([{ name: "lamp" }])), "helmCharts[0].chartArgs.name must name the chart");
  assert.equal(await told(charts({})), "helmCharts must be a list");
  assert.equal(
    await told(charts([{ chartArgs: { name: "--debug" } }])),
    'helmCharts[0].chartArgs.name "--debug" must consist of letters, digits and "-_./"',
  );
  assert.equal(
    await told(withOptions({ includeCRDs: "yes" })),
    "helmCharts[0].templateOptions.includeCRDs must be true or false",
  );
  assert.equal(
    await told(withOptions({ values: { valuesMerge: "mix" } })),
    "valuesMerge must be one of [merge override replace]",
  );
  assert.equal(
    await told(withOptions({ values: { valuesInline: [1] } })),
    "helmCharts[0].templateOptions.values.valuesInline must be a map",
  );
  assert.equal(
    await told(charts([{ chartArgs: { name: "lamp", auth: { kind: "ConfigMap", name: "x" } } }])),
    "auth `kind` must be `Secret`",
  );
});

test("a chart that is not there is told with what to do; nothing is fetched without leave", async () => {
  const root = folder();
  const told = async (chartArgs: object, input = ""): Promise<string> => {
    const { stderr } = await render(root, charts([{ chartArgs }]), input);
    return stderr.replace("failed to evaluate function: failed to run function: ", "");
  };
  assert.equal(
    await told({ name: "none" }),
    'chart "none" is not in "charts" of the package, and no repo is given. Put the chart there, or name its repository: https://… or oci://…',
  );
  const put = "Put the chart into the package";
  assert.equal(
    await told({ name: "none", repo: "https://charts.example.com", version: "1.2.3" }),
    `chart "none" is not in "charts" of the package: the network is not allowed. ${put} (helm pull none --repo https://charts.example.com --version '1.2.3' --untar --untardir tmp/charts), or allow the network (--allow-network, for eval --network)`,
  );
  const auth = { kind: "Secret", name: "login" };
  const far = { name: "none", repo: "oci://charts.example.com/x", auth };
  assert.equal(await told(far), 'could not find Secret "login" in namespace "default" identified by auth');
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\ndata: {username: YQ==}\n";
  assert.equal(await told(far, secret), "could not find password in Secret login");
  const missing = withOptions({ values: { valuesFiles: ["no.yaml"] } });
  assert.match((await render(root, missing)).stderr, /values file "no\.yaml" is not in the package$/);
  const remote = withOptions({ values: { valuesFiles: ["https://example.com/v.yaml"] } });
  assert.match((await render(root, remote)).stderr, /is not fetched here\. Put it into the package$/);
});
