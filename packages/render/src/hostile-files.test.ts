import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { failsWith, gitEnv, startWorld } from "@capstan/testkit/render-world";

/** One repository server for all: each test has folders of its own in the repository. */
let world: Awaited<ReturnType<typeof startWorld>>;
let secret: string;
before(async () => {
  world = await startWorld();
  secret = join(world.folder, "secret.yaml");
  writeFileSync(secret, "kind: secret\n");
});
after(() => world[Symbol.asyncDispose]());

const chart = "apiVersion: v2\nname: chart\nversion: 0.1.0\n";
/** Looks harmless as text: as many directories in as out. The system leaves the repository with the first `..`. */
const climb = (to: string) => `../${"up/".repeat(12)}${"../".repeat(12)}${to.slice(1)}`;

test("`..` behind a link does not lead out, for any tool that reads or writes", async () => {
  const targetRevision = world.repository.commit({
    up: { link: "." },
    "chart/Chart.yaml": chart,
    "chart/templates/a.yaml":
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ .Files.Get "leak" | quote }}}\n',
    "chart/leak": { link: climb(secret) },
    "values/Chart.yaml": chart,
    "values/values.yaml": { link: climb(secret) },
    "read/kustomization.yaml": "resources: [leak.yaml]\n",
    "read/leak.yaml": { link: climb(secret) },
    "write/kustomization.yaml": { link: climb(secret) },
    "plain/leak.yaml": { link: climb(secret) },
    "folder/Chart.yaml": chart,
    "folder/templates": { link: climb(world.folder) },
  });
  const refused = failsWith({ code: "SYMLINK_OUTSIDE" }, /outside of the repository/);
  for (const source of [
    { path: "chart" },
    { path: "values" },
    { path: "read" },
    { path: "write", kustomize: { commonAnnotations: { note: "written" } } },
    { path: "plain" },
    { path: "folder" },
    { path: "up/up/write", kustomize: { namePrefix: "x-" } },
    { path: "chart", helm: { valueFiles: ["leak"] } },
    { path: "chart", helm: { fileParameters: [{ name: "a", path: "leak" }] } },
  ])
    await assert.rejects(world.render({ ...source, targetRevision }), refused, JSON.stringify(source));
  assert.equal(readFileSync(secret, "utf8"), "kind: secret\n");
});

test("links that go up and down within the repository are used as a checkout would", async () => {
  const targetRevision = world.repository.commit({
    d: { link: "deep/er" },
    "deep/er/x": "",
    "deep/shared.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n",
    "shared.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n",
    "linked/a.yaml": { link: "../d/../shared.yaml" },
    "edited/kustomization.yaml": { link: "bases/../kept.yaml" },
    "edited/kept.yaml": "resources: [a.yaml]\n",
    "edited/bases": { link: "own/er" },
    "edited/own/er/x": "",
    "edited/own/kept.yaml": "resources: [b.yaml]\n",
    "edited/b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
  });
  const names = async (source: Parameters<typeof world.render>[0]) =>
    (await world.render({ ...source, targetRevision })).manifests.map(
      ({ manifest }) => manifest.metadata.name,
    );
  assert.deepEqual(await names({ path: "linked" }), ["shared"]);
  assert.deepEqual(await names({ path: "edited", kustomize: { namePrefix: "my-" } }), ["my-b"]);
});

test("names from charts and indexes are names of files, not paths", async () => {
  const server = createServer((request, response) => {
    const entry = (version: string) => `  - {version: '${version}', urls: [file.tgz]}\n`;
    if (request.url !== "/index.yaml") response.end("not an archive");
    else
      response.end(
        `entries:\n  ../../../out:\n${entry("1.0.0")}  -x:\n${entry("1.0.0")}  odd:\n${entry("1.0.0")}  ok:\n${entry("1.0.0")}`,
      );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const dependsOn = (name: string, repository: string) =>
    `${chart}dependencies:\n- {name: '${name}', version: 1.0.0, repository: '${repository}'}\n`;
  try {
    const targetRevision = world.repository.commit({
      "climbs/Chart.yaml": dependsOn("../../../out", url),
      "dash/Chart.yaml": dependsOn("-x", url),
      "local/Chart.yaml": dependsOn("lib", "file://../lib"),
      "lib/Chart.yaml": "apiVersion: v2\nname: ../../lib\nversion: 1.0.0\n",
      "inflate/kustomization.yaml": `helmCharts: [{name: ../../../out, repo: '${url}', version: 1.0.0, releaseName: r}]\n`,
      "home/kustomization.yaml": `helmGlobals: {chartHome: '${world.folder}/home'}\nhelmCharts: [{name: ok, repo: '${url}', version: 1.0.0, releaseName: r}]\n`,
    });
    const before = readdirSync(world.folder);
    const settings = { kustomizeBuildOptions: "--enable-helm" };
    for (const path of ["climbs", "dash", "local", "inflate"])
      await assert.rejects(
        world.render({ path, targetRevision }, { settings }),
        failsWith({ code: "INVALID_ARGUMENT" }, /must be one name|begins with a -/),
        path,
      );
    await assert.rejects(
      world.render({ path: "home", targetRevision }, { settings }),
      failsWith({ code: "PATH_OUTSIDE", field: "helmGlobals.chartHome" }),
    );
    assert.deepEqual(readdirSync(world.folder), before);
  } finally {
    server.close();
  }
});

test("a directory that holds itself again and again is refused, whoever looks for files in it", async () => {
  const { dir } = world.repository;
  const git = (args: readonly string[], input: string) =>
    execFileSync("git", args, { cwd: dir, env: gitEnv, input, encoding: "utf8" }).trim();
  let below = `100644 blob ${git(["hash-object", "-w", "--stdin"], "x")}`;
  for (let level = 0; level < 9; level++) {
    const lines = Array.from({ length: 10 }, (_, index) => `${below}\t${index}.yaml`);
    below = `040000 tree ${git(["mktree"], `${lines.join("\n")}\n`)}`;
  }
  const chartFile = `100644 blob ${git(["hash-object", "-w", "--stdin"], chart)}`;
  const root = git(["mktree"], `${chartFile}\tChart.yaml\n${below}\tbomb\n`);
  const targetRevision = git(["commit-tree", root, "-m", "bomb"], "");
  git(["branch", "bomb", targetRevision], "");
  await assert.rejects(
    world.render({ path: ".", targetRevision, helm: { valueFiles: ["bomb/**/values.yaml"] } }),
    failsWith({ code: "FAILED_PRECONDITION" }, /holds more than \d+ files and directories/),
  );
});
