import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { configMapText, createGitRepository, type GitRepository, realClock } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { type Run, runMain } from "./test-main.ts";

const pipeline = `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: {name: two}
spec:
  stages:
    - plugin: helm
      path: chart
    - {name: prefix, plugin: kustomize, path: patch, input: all.yaml}
`;

const sealed = `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: {name: sealed}
spec:
  stages:
    - {plugin: directory, path: app}
    - {plugin: kustomize, path: patch, input: all.yaml, sensitive: true}
`;

const template =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {colour: '{{ .Values.colour }}'}\n";

describe("stages of a pipeline", () => {
  let api: ApiWorld;
  let git: GitRepository;
  before(async () => {
    git = await createGitRepository({
      "web/capstan.yaml": pipeline,
      "web/chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "web/chart/values.yaml": "colour: red\n",
      "web/chart/templates/c.yaml": template,
      "web/patch/kustomization.yaml": "resources: [all.yaml]\nnamePrefix: pre-\n",
      "sealed/capstan.yaml": sealed,
      "sealed/app/c.yaml": configMapText("c", "red"),
      "sealed/patch/kustomization.yaml": "resources: [all.yaml]\npatches: [{path: secret.yaml}]\n",
      "sealed/patch/secret.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {password: hunter2}\n",
      "plain/a.yaml": configMapText("a"),
    });
    api = await openApiWorld();
    for (const name of ["web", "sealed", "plain"])
      await capstan(
        ...["app", "create", name, "--repo", git.url, "--path", name, "--dest-name", "in-cluster"],
        ...["--dest-namespace", name],
      );
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  function capstan(...argv: string[]): Promise<Run> {
    const access = argv[0] === "__complete" ? [] : ["--server", api.url, "--auth-token", api.token];
    return runMain([...argv, ...access], { clock: realClock });
  }

  test("a stage's manifests are printed by its number and by its name", async () => {
    const first = await capstan("app", "manifests", "web", "--stage", "1");
    assert.match(first.out, /^---\napiVersion: v1\ndata:\n {2}colour: red\n/, first.err);
    assert.match(first.out, /\n {2}name: c\n/);
    assert.match((await capstan("app", "manifests", "web", "--stage", "prefix")).out, /\n {2}name: pre-c\n/);
    const absent = await capstan("app", "manifests", "web", "--stage", "3");
    assert.equal(absent.code, 1);
    assert.match(absent.err, /no stage "3"; the stages are 1 \(helm\), 2 \(prefix\)/);
  });

  test("the diff of the stages shows what each did and its time", async () => {
    const { out } = await capstan("app", "manifests", "web", "--diff-stages");
    assert.match(out, /^# stage 1 helm: generate; \d+ ms.*; 1 added\n/);
    assert.match(out, /\n# stage 2 prefix: kustomize: generate; \d+ ms.*; 1 added, 1 removed\n/);
    assert.match(out, /\n\+ {2}name: pre-c\n/);
  });

  test("an application sets a stage's parameter", async () => {
    const set = await capstan("app", "set", "web", "--plugin-parameter", "helm/colour=blue");
    assert.equal(set.code, 0, set.err);
    assert.match((await capstan("app", "manifests", "web")).out, /colour: blue/);
    assert.equal((await capstan("app", "unset", "web", "--plugin-parameter", "helm/colour")).code, 0);
    assert.match((await capstan("app", "manifests", "web")).out, /colour: red/);
  });

  test("what each stage can be told is shown, with what holds and who says so", async () => {
    const set = ["--plugin-parameter", "helm/colour=blue", "--plugin-env", "X=1"];
    await capstan("app", "set", "web", ...set);
    const { out, err } = await capstan("app", "get", "web", "--show-params");
    assert.match(out, /\nNAME +VALUE +FROM +TYPE\nhelm\/colour +blue +application +string\n\$X +1 +app/, err);
    const unset = ["--plugin-parameter", "helm/colour", "--plugin-env", "X"];
    assert.equal((await capstan("app", "unset", "web", ...unset)).code, 0);
    assert.match((await capstan("app", "get", "web", "--show-params")).out, /helm\/colour +red +default/);
    assert.doesNotMatch((await capstan("app", "get", "plain", "--show-params")).out, /VALUE/);
  });

  test("stages and their parameters complete", async () => {
    const complete = (...words: string[]) =>
      capstan("__complete", "--", "--server", api.url, "--auth-token", api.token, ...words);
    const wanted = "helm/colour=\tred\n";
    assert.equal((await complete("app", "set", "web", "--plugin-parameter", "he")).out, wanted);
    assert.equal(
      (await complete("app", "set", "web", "--plugin-parameter=h")).out,
      `--plugin-parameter=${wanted}`,
    );
    assert.equal((await complete("app", "manifests", "web", "--stage", "p")).out, "prefix\tkustomize\n");
    assert.equal((await complete("plugin", "describe", "hel")).out, "helm\tgenerate\n");
  });

  test("what a sensitive stage put into manifests is shown nowhere", async () => {
    const shown = await Promise.all([
      capstan("app", "manifests", "sealed"),
      capstan("app", "manifests", "sealed", "--diff-stages"),
      capstan("app", "diff", "sealed"),
      capstan("app", "sync", "sealed", "--dry-run"),
    ]);
    for (const { out, err } of shown) assert.doesNotMatch(out + err, /hunter2/);
    assert.match(shown[0].out, /key: red\n {2}password: \+{8}\n/);
    assert.match(shown[2].out, /password: \+{8}\n/);
  });

  test("a source without a pipeline is one stage", async () => {
    const { out } = await capstan("app", "manifests", "plain", "--diff-stages");
    assert.match(out, /^# stage 1 directory: generate; .*; 1 added\n/);
  });
});
