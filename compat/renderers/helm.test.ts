import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lovely } from "@capstan/plugin-lovely";
import { lacking, lackingOciRegistry, startChartServer, startOciRegistry } from "@capstan/testkit";
import { credentials, openRenderWorld, pushCharts } from "./render-world.ts";

const skip = lackingOciRegistry() || lacking("helm3", "helm4");

const template =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-{{ .Chart.Name }}'}\ndata: {version: '{{ .Chart.Version }}'}\n";
const files = { "templates/one.yaml": template };
const lib = { name: "lib", version: "1.2.3", files };

function chartWith(dependencies: readonly object[], lock?: readonly object[]): Record<string, string> {
  return {
    "chart/Chart.yaml": JSON.stringify({ apiVersion: "v2", name: "main", version: "0.1.0", dependencies }),
    "chart/templates/one.yaml": template,
    ...(lock ? { "chart/Chart.lock": JSON.stringify({ dependencies: lock }) } : {}),
  };
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof openRenderWorld>>["render"]>>;

const versions = ({ manifests }: Answer) =>
  Object.fromEntries(
    manifests.map(({ manifest: { metadata, data } }) => [metadata.name, Object(data).version]),
  );

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

for (const version of ["v3", "v4"])
  test(`dependencies with a password from a Helm repository, an OCI registry and the repository, helm ${version}`, {
    skip,
  }, async () => {
    await using server = await startChartServer([lib, { ...lib, version: "1.3.0" }], { credentials });
    await using registry = await startOciRegistry({ credentials });
    await pushCharts(registry.host, [{ name: "packed", version: "2.0.0", files }]);
    const world_ = chartWith([
      { name: "lib", version: "1.2.x", repository: server.url },
      { name: "packed", version: "^2.0.0", repository: `oci://${registry.host}/charts` },
      { name: "near", version: "0.1.0", repository: "file://../near" },
    ]);
    await using world = await openRenderWorld({
      ...world_,
      "near/Chart.yaml": JSON.stringify({
        apiVersion: "v2",
        name: "near",
        version: "0.1.0",
        dependencies: [{ name: "lib", version: "1.3.0", repository: "@shop" }],
      }),
      "near/templates/one.yaml": template,
    });
    const repositories = [
      { url: server.url, type: "helm" as const, name: "shop", ...credentials },
      { url: registry.host, type: "oci" as const, ...credentials },
    ];
    const answer = await world.render({ path: "chart", helm: { version } }, { repositories });
    assert.deepEqual(versions(answer), {
      "web-lib": "1.3.0",
      "web-main": "0.1.0",
      "web-near": "0.1.0",
      "web-packed": "2.0.0",
    });
    const asked = server.requests.filter((line) => line.endsWith(".tgz")).length;
    await world.repository.commit({ "chart/values.yaml": "changed: 1\n" });
    world.server.forgetRevisions(world.repository.url);
    assert.equal((await world.render({ path: "chart", helm: { version } }, { repositories })).cache, "miss");
    assert.equal(server.requests.filter((line) => line.endsWith(".tgz")).length, asked, "archives are kept");
    assert.doesNotMatch(JSON.stringify([world.logged, answer]), new RegExp(credentials.password));
    for (const file of filesBelow(world.dir))
      assert.ok(!readFileSync(file).includes(credentials.password), file);
    await assert.rejects(
      world.render({ path: "chart" }, { noCache: true }),
      /repository http:\/\/127\.0\.0\.1:\d+ needs other credentials/,
    );
  });

test("Chart.lock decides the version, and one that does not fit is refused", { skip }, async () => {
  await using server = await startChartServer([lib, { ...lib, version: "1.3.0" }]);
  const dependencies = [{ name: "lib", version: "1.x", repository: server.url }];
  await using world = await openRenderWorld(
    chartWith(dependencies, [{ ...dependencies[0], version: "1.2.3" }]),
  );
  assert.equal(versions(await world.render({ path: "chart" }))["web-lib"], "1.2.3");
  await world.repository.commit(chartWith(dependencies, []));
  world.server.forgetRevisions(world.repository.url);
  await assert.rejects(world.render({ path: "chart" }), /Chart\.lock: it does not have the dependency lib/);
});

test("a dependency elsewhere that the project does not permit is refused by name", { skip }, async () => {
  await using server = await startChartServer([lib]);
  await using world = await openRenderWorld(
    chartWith([{ name: "lib", version: "1.x", repository: server.url }]),
  );
  await assert.rejects(
    world.render({ path: "chart" }, { sourceRepos: [world.repository.url] }),
    /helm repos http:\/\/127\.0\.0\.1\S* are not permitted in project 'default'/,
  );
});

test("a chart of an OCI registry: version, constraint, values, and what can go wrong", { skip }, async () => {
  await using registry = await startOciRegistry({ credentials });
  await pushCharts(registry.host, [
    { name: "web", version: "1.0.0", files },
    { name: "web", version: "1.1.0+build.7", files },
  ]);
  await using world = await openRenderWorld({});
  const render = (url: string, targetRevision: string, more = {}) =>
    world.render(
      { repoURL: url, chart: "web", targetRevision },
      { repository: { url, type: "oci", ...credentials, ...more } },
    );
  const url = `${registry.host}/charts`;
  assert.deepEqual(versions(await render(url, "1.0.0")), { "web-web": "1.0.0" });
  const highest = await render(`oci://${url}`, "1.x");
  assert.equal(highest.revision, "1.1.0+build.7");
  assert.deepEqual(versions(highest), { "web-web": "1.1.0+build.7" });
  await assert.rejects(
    render(url, "3.x"),
    /no version of web .* satisfies "3\.x"; available versions: 1\.0\.0/,
  );
  await assert.rejects(render(url, "1.0.0", { password: "wrong" }), /needs other credentials/);
});

test("an artifact of an OCI registry is a source of files, a chart in it as its directory", {
  skip,
}, async () => {
  await using registry = await startOciRegistry({ credentials });
  await pushCharts(registry.host, [{ name: "web", version: "1.0.0", files }]);
  await using world = await openRenderWorld({});
  const url = `oci://${registry.host}/charts/web`;
  const repository = { url, ...credentials };
  for (const targetRevision of ["1.0.0", "^1.0"]) {
    const answer = await world.render({ repoURL: url, path: ".", targetRevision }, { repository });
    assert.deepEqual(versions(answer), { "web-web": "1.0.0" });
    assert.match(answer.revision, /^sha256:[0-9a-f]{64}$/);
  }
});

test("lovely: LOVELY_HELM_REPO_ADD_PARAMS gives user and password", { skip }, async () => {
  await using server = await startChartServer([lib], { credentials });
  const plugins = [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true" })];
  const chart = chartWith([{ name: "lib", version: "1.x", repository: server.url }]);
  await using world = await openRenderWorld(chart, { plugins });
  const { username, password } = credentials;
  const value = `--username ${username} --password=${password} --pass-credentials`;
  const env = [{ name: "LOVELY_HELM_REPO_ADD_PARAMS", value }];
  const answer = await world.render({ path: "chart", plugin: { name: "lovely", env } });
  assert.equal(versions(answer)["web-lib"], "1.2.3");
});
