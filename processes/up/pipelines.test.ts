import assert from "node:assert/strict";
import { test } from "node:test";
import { isApplication, type Manifest } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  eventually,
  isSettled,
  sketchApplication,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";

const timeLimit = () => AbortSignal.timeout(100_000);
const ref = { apiVersion: "capstan.dev/v1alpha1", kind: "Pipeline", namespace: "argocd", name: "house" };

function stages(tier: string) {
  const config = { commonLabels: { tier } };
  const patch = { plugin: "kustomize", path: "patch", input: "all.yaml", config };
  return [{ plugin: "directory", path: "app" }, patch];
}

test("a Pipeline of the cluster is a plugin's name; applications follow when it changes", async () => {
  await using git = await createGitRepository({
    "app/c.yaml": configMapText("c"),
    "patch/kustomization.yaml": "resources: [all.yaml]\n",
  });
  await using capstan = await startCapstan({ flags: ["--no-samples"] });
  const { kube } = capstan;
  const { apiVersion, kind, namespace, name } = ref;
  const pipeline: Manifest = {
    apiVersion,
    kind,
    metadata: { namespace, name },
    spec: { stages: stages("web") },
  };
  await kube.create(pipeline, { signal: timeLimit() });
  const app = sketchApplication({ name: "web", repoURL: git.url, source: { plugin: { name } } });
  await kube.create(app, { signal: timeLimit() });
  await untilApplication(kube, "web", isSettled);
  const tier = async () => {
    const configMap = { apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "c" };
    return (await kube.get(configMap, timeLimit()))?.metadata.labels?.tier;
  };
  const change = (to: object[]) =>
    kube.patch(ref, { type: "merge", body: { spec: { stages: to } } }, { signal: timeLimit() });
  assert.equal(await tier(), "web");

  await change(stages("db"));
  const describe = () => "the application does not follow its Pipeline";
  await eventually(async () => ((await tier()) === "db" ? true : undefined), {
    signal: timeLimit(),
    describe,
  });

  await change([{ plugin: "directory" }, { plugin: "directory" }]);
  const problem = await eventually(
    async () => {
      const there = await kube.get(
        { ...ref, apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: "web" },
        timeLimit(),
      );
      return isApplication(there) ? there.status?.conditions?.[0]?.message : undefined;
    },
    { signal: timeLimit(), describe: () => "nobody says that the Pipeline is wrong" },
  );
  assert.match(problem, /Pipeline house.*directory/);
  assert.equal(await tier(), "db", "what is there stays");
});
