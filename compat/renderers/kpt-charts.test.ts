import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { kpt } from "@capstan/plugin-kpt";
import { createGitRepository, lacking, realProgramPath, startChartServer } from "@capstan/testkit";
import { credentials, openRenderWorld } from "./render-world.ts";

const run = promisify(execFile);
const skip = lacking("helm4");

const files = {
  "values.yaml": "colour: red\nsize: ''\n",
  "templates/one.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {version: '{{ .Chart.Version }}', look: '{{ .Values.colour }} {{ .Values.size }}'}\n",
};
const lib = { name: "lib", version: "1.2.3", files };

function packageWith(chartArgs: object, values: object = {}): Record<string, string> {
  const local = { "config.kubernetes.io/local-config": "true" };
  const config = {
    apiVersion: "fn.kpt.dev/v1alpha1",
    kind: "RenderHelmChart",
    metadata: { name: "lib", annotations: local },
    helmCharts: [{ chartArgs, templateOptions: { releaseName: "my", values } }],
  };
  const encoded = Object.entries(credentials).map(([key, value]) => [
    key,
    Buffer.from(value).toString("base64"),
  ]);
  const metadata = { name: "login", annotations: local };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) };
  return {
    "app/Kptfile":
      "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\npipeline:\n  mutators:\n  - image: render-helm-chart:v0.2.2\n    configPath: chart.yaml\n",
    "app/chart.yaml": JSON.stringify(config),
    "app/login.yaml": JSON.stringify(secret),
  };
}

const auth = { kind: "Secret", name: "login" };

test("kpt's render-helm-chart fetches a chart with a Secret of the package", { skip }, async () => {
  await using server = await startChartServer([lib, { ...lib, version: "1.3.0" }], { credentials });
  const values = { valuesInline: { colour: "green", size: "big" }, valuesMerge: "merge" };
  const chart = { name: "lib", repo: server.url, version: "1.2.x", auth };
  await using world = await openRenderWorld(packageWith(chart, values), { plugins: [kpt({})] });
  const { manifests } = await world.render({ path: "app" });
  const [one, ...more] = manifests.map(({ manifest }) => manifest);
  assert.deepEqual(more, []);
  assert.deepEqual(one?.data, { version: "1.2.3", look: "red big" });
  assert.ok(!JSON.stringify(world.logged).includes(credentials.password));
});

test("a chart from a repository that the project does not permit is refused by name", { skip }, async () => {
  await using server = await startChartServer([lib]);
  const chart = { name: "lib", repo: server.url };
  await using world = await openRenderWorld(packageWith(chart), { plugins: [kpt({})] });
  const { manifests } = await world.render({ path: "app" });
  assert.deepEqual(manifests[0]?.manifest.data, { version: "1.2.3", look: "red " });
  await world.repository.commit({ "app/more.txt": "more" });
  world.server.forgetRevisions(world.repository.url);
  await assert.rejects(
    world.render({ path: "app" }, { sourceRepos: [world.repository.url] }),
    /chart "lib" is not in "tmp\/charts" of the package: .*application repo http:\/\/127\.0\.0\.1\S* is not permitted/,
  );
});

test("on the command line helm pulls the chart once the network is allowed", { skip }, async () => {
  await using server = await startChartServer([lib, { ...lib, version: "1.3.0" }]);
  await using repository = await createGitRepository(
    packageWith({ name: "lib", repo: server.url, version: "1.2.3" }),
  );
  const root = join(repository.dir, "app");
  const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
  const PATH = `${join(realProgramPath("helm4"), "..")}:${process.env.PATH}`;
  const env = { ...process.env, PATH, HOME: repository.dir };
  const render = (...flags: string[]) =>
    run(process.execPath, [program, "kpt", "fn", "render", root, ...flags], { env, timeout: 100_000 });
  await assert.rejects(render(), /the network is not allowed/);
  await render("--allow-network");
  assert.match(await readFile(join(root, "configmap_my.yaml"), "utf8"), /version: '1\.2\.3'/);
});
