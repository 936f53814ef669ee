import assert from "node:assert/strict";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { KustomizeSource } from "@capstan/model";
import { failsWith, startWorld, type TestRepository } from "@capstan/testkit/render-world";
import type { RenderedManifest } from "@capstan/wire";

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx:1.0}
`;

const files = {
  "app/kustomization.yaml": "resources: [deployment.yaml]\n",
  "app/deployment.yaml": deployment,
};

async function build(
  kustomize: KustomizeSource,
  more: Parameters<TestRepository["commit"]>[0] = {},
): Promise<RenderedManifest> {
  await using world = await startWorld();
  world.repository.commit({ ...files, ...more });
  const { manifests, sourceType } = await world.render({ path: "app", kustomize });
  assert.equal(sourceType, "Kustomize");
  const [first] = manifests;
  assert.ok(first);
  return first;
}

/** The value at a dotted path. */
function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isRecord(inner) ? inner[name] : undefined;
  }, value);
}

const image = "spec.template.spec.containers.0.image";

const cases: [fact: string, options: KustomizeSource, path: string, expected: unknown][] = [
  ["namePrefix", { namePrefix: "a-" }, "metadata.name", "a-web"],
  ["nameSuffix", { nameSuffix: "-z" }, "metadata.name", "web-z"],
  ["namespace", { namespace: "team" }, "metadata.namespace", "team"],
  ["image tag", { images: ["nginx:2.0"] }, image, "nginx:2.0"],
  ["image name and tag", { images: ["nginx=example.com:5000/nginx:3"] }, image, "example.com:5000/nginx:3"],
  [
    "image digest",
    { images: ["nginx@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3"] },
    image,
    "nginx@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3",
  ],
  ["image with a variable", { images: ["nginx:$ARGOCD_APP_NAME"] }, image, "nginx:web"],
  ["replicas", { replicas: [{ name: "web", count: "4" }] }, "spec.replicas", 4],
  ["commonLabels", { commonLabels: { team: "$ARGOCD_APP_NAME" } }, "spec.selector.matchLabels.team", "web"],
  [
    "labelWithoutSelector",
    { commonLabels: { team: "x" }, labelWithoutSelector: true },
    "metadata.labels.team",
    "x",
  ],
  [
    "no label in the selector",
    { commonLabels: { team: "x" }, labelWithoutSelector: true },
    "spec.selector.matchLabels.team",
    undefined,
  ],
  [
    "no label in the template",
    { commonLabels: { team: "x" }, labelWithoutSelector: true },
    "spec.template.metadata.labels.team",
    undefined,
  ],
  [
    "labelIncludeTemplates",
    { commonLabels: { team: "x" }, labelWithoutSelector: true, labelIncludeTemplates: true },
    "spec.template.metadata.labels.team",
    "x",
  ],
  [
    "commonAnnotations",
    { commonAnnotations: { note: "$ARGOCD_APP_NAME" } },
    "metadata.annotations.note",
    "$ARGOCD_APP_NAME",
  ],
  [
    "commonAnnotationsEnvsubst",
    { commonAnnotations: { note: "$ARGOCD_APP_NAME" }, commonAnnotationsEnvsubst: true },
    "metadata.annotations.note",
    "web",
  ],
  [
    "inline patch",
    {
      patches: [{ patch: "- {op: replace, path: /spec/replicas, value: 7}", target: { kind: "Deployment" } }],
    },
    "spec.replicas",
    7,
  ],
  [
    "missing components are passed over if asked",
    { components: ["gone"], ignoreMissingComponents: true },
    "metadata.name",
    "web",
  ],
];

for (const [fact, options, path, expected] of cases)
  test(`kustomize option: ${fact}`, async () =>
    assert.deepEqual(at((await build(options)).manifest, path), expected));

test("patch files and components of the repository reach the build", async () => {
  const more = {
    "app/patches/replicas.yaml":
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n",
    "shared/component/kustomization.yaml":
      "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -c\n",
    link: { link: "shared/component" },
  };
  const options = { patches: [{ path: "patch.yaml" }], components: ["../link"] };
  const { manifest } = await build(options, {
    ...more,
    "app/patch.yaml": { link: "patches/replicas.yaml" },
  });
  assert.equal(manifest.metadata.name, "web-c");
  assert.equal(at(manifest, "spec.replicas"), 9);
});

test("a label that the kustomization has is not overwritten unless forced", async () => {
  const more = { "app/kustomization.yaml": "resources: [deployment.yaml]\ncommonLabels: {team: old}\n" };
  await assert.rejects(
    build({ commonLabels: { team: "new" } }, more),
    failsWith({ code: "INVALID_ARGUMENT", field: "source.kustomize.commonLabels" }, /forceCommonLabels/),
  );
  const forced = await build({ commonLabels: { team: "new" }, forceCommonLabels: true }, more);
  assert.equal(at(forced.manifest, "metadata.labels.team"), "new");
});

test("an image that says nothing new and a kustomize section without kustomization are refused", async () => {
  await assert.rejects(
    build({ images: ["nginx"] }),
    failsWith({ code: "INVALID_ARGUMENT", field: "source.kustomize.images" }),
  );
  await assert.rejects(
    build({}, { "app/kustomization.yaml": undefined }),
    failsWith({ code: "FILE_MISSING", file: "app/kustomization.yaml" }),
  );
  await assert.rejects(
    build({}, { "app/kustomization.yml": "resources: []\n" }),
    failsWith({ code: "YAML_INVALID", file: "app/kustomization.yml" }, /kustomization\.yaml is beside it/),
  );
  await assert.rejects(
    build({ version: "v9" }),
    failsWith({ code: "INVALID_ARGUMENT", field: "source.kustomize.version" }, /Configured: none/),
  );
});

test("only what a build reads decides whether it runs again", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "base/kustomization.yaml": "resources: [deployment.yaml]\n",
    "base/deployment.yaml": deployment,
    "base/README.md": "one",
    "overlay/kustomization.yaml":
      "resources: [../base]\nconfigMapGenerator: [{name: c, files: [key=data.txt], envs: [x.env]}]\n",
    "overlay/data.txt": "one",
    "overlay/x.env": "A=1\n",
  });
  const render = async () => {
    world.server.forgetRevisions(world.repository.url);
    return (await world.render({ path: "overlay" })).cache;
  };
  assert.equal(await render(), "miss");
  world.repository.commit({ "base/README.md": "two", "elsewhere/x": "y" });
  assert.equal(await render(), "hit");
  world.repository.commit({ "overlay/data.txt": "two" });
  assert.equal(await render(), "miss");
  world.repository.commit({ "overlay/x.env": "A=2\n" });
  assert.equal(await render(), "miss");
  world.repository.commit({ "base/deployment.yaml": deployment.replace("1.0", "1.1") });
  assert.equal(await render(), "miss");
});

test("two applications of one directory with equal options are rendered once", async () => {
  await using world = await startWorld();
  world.repository.commit(files);
  const [one, two] = await Promise.all([
    world.render({ path: "app" }, { appName: "one" }),
    world.render({ path: "app" }, { appName: "two" }),
  ]);
  assert.equal(world.log.renders, 1);
  assert.deepEqual(one.manifests, two.manifests);
});

test("Kubernetes and API versions reach charts, those of the source before those of the cluster", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "app/kustomization.yaml": "helmCharts: [{name: c, releaseName: r}]\n",
    "app/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
    "app/charts/c/values.yaml": "{}\n",
    "app/charts/c/templates/a.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {kube: '{{ .Capabilities.KubeVersion.Version }}', api: '{{ .Capabilities.APIVersions.Has \"example.com/v1\" }}'}\n",
  });
  const settings = { kustomizeBuildOptions: "--enable-helm" };
  const cluster = { settings, kubeVersion: "1.30.1", apiVersions: ["example.com/v1"] };
  const ofCluster = await world.render({ path: "app" }, cluster);
  assert.deepEqual(ofCluster.manifests[0]?.manifest.data, { kube: "v1.30.1", api: "true" });
  const kustomize = { kubeVersion: "v1.29.0", apiVersions: ["other/v1"] };
  const ofSource = await world.render({ path: "app", kustomize }, cluster);
  assert.deepEqual(ofSource.manifests[0]?.manifest.data, { kube: "v1.29.0", api: "false" });
});

test("an annotation that the kustomization has is not overwritten unless forced, and replicas must be numbers", async () => {
  const more = { "app/kustomization.yaml": "resources: [deployment.yaml]\ncommonAnnotations: {note: old}\n" };
  const commonAnnotations = { note: "new" };
  await assert.rejects(
    build({ commonAnnotations }, more),
    failsWith(
      { code: "INVALID_ARGUMENT", field: "source.kustomize.commonAnnotations" },
      /forceCommonAnnotations/,
    ),
  );
  const forced = await build({ commonAnnotations, forceCommonAnnotations: true }, more);
  assert.equal(at(forced.manifest, "metadata.annotations.note"), "new");
  await assert.rejects(
    build({ replicas: [{ name: "web", count: "many" }] }),
    failsWith({ code: "INVALID_ARGUMENT", field: "source.kustomize.replicas" }, /"many"/),
  );
});

test("a strategic merge patch with target and options, and a missing component is an error unless ignored", async () => {
  const patch = "kind: Deployment\nmetadata: {name: renamed}\nspec: {replicas: 5}\n";
  const { manifest } = await build({
    patches: [{ patch, target: { kind: "Deployment", name: "web" }, options: { allowNameChange: true } }],
  });
  assert.deepEqual([manifest.metadata.name, at(manifest, "spec.replicas")], ["renamed", 5]);
  await assert.rejects(
    build({ components: ["gone"] }),
    failsWith({ code: "TOOL_FAILED", tool: "kustomize" }, /gone/),
  );
});

test("build options are passed on, charts of --enable-helm from the repository included", async () => {
  await using world = await startWorld();
  world.repository.commit({
    "app/kustomization.yaml": "helmCharts: [{name: c, releaseName: r, valuesFile: v.yaml}]\n",
    "app/v.yaml": "key: given\n",
    "app/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
    "app/charts/c/templates/a.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\ndata: {key: '{{ .Values.key }}'}\n",
  });
  const { manifests } = await world.render(
    { path: "app" },
    { settings: { kustomizeBuildOptions: "--enable-helm" } },
  );
  assert.equal(at(manifests[0]?.manifest, "data.key"), "given");
  await assert.rejects(
    world.render({ path: "app" }),
    failsWith({ code: "TOOL_FAILED", tool: "kustomize" }, /enable-helm/),
  );
});
