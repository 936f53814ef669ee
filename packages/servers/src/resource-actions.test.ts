import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { createGitRepository, deploymentText, type GitRepository, sketchApplication } from "@capstan/testkit";
import { type ApiWorld, openApiWorld, requestSync, untilObject } from "@capstan/testkit/worlds";

const limit = () => ({ signal: AbortSignal.timeout(100_000) });
const server = "https://kubernetes.default.svc";

const scripts = `
mergeBuiltinActions: true
discovery.lua: |
  return { annotate = { displayName = "Annotate", params = { { name = "text" } } }, copy = {}, spread = { disabled = obj.spec.replicas == 1 } }
definitions:
- name: annotate
  action.lua: |
    obj.metadata.annotations = obj.metadata.annotations or {}
    obj.metadata.annotations.said = actionParams["text"]
    return obj
- name: copy
  action.lua: |
    return { { operation = "create", resource = { apiVersion = "v1", kind = "ConfigMap", data = { of = obj.metadata.name },
      metadata = { name = "copy", namespace = obj.metadata.namespace } } } }
- name: spread
  action.lua: |
    local one = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "first", namespace = obj.metadata.namespace } }
    local two = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "second", namespace = "elsewhere" } }
    return { { operation = "create", resource = one }, { operation = "create", resource = two } }
- name: other
  action.lua: |
    obj.metadata.name = "another"
    return obj
- name: nothing
  action.lua: return {}
- name: broken
  action.lua: return obj.none.field
`;

describe("actions on an object, the operator's beside the built-in ones", () => {
  let api: ApiWorld;
  let git: GitRepository;
  const query = "resourceName=web&namespace=team&group=apps&kind=Deployment&version=v1";
  const path = "/api/v1/applications/web/resource/actions";
  const run = (action: string, parameters: Record<string, string> = {}) =>
    api.request("POST", `${path}/v2`, {
      body: {
        resourceName: "web",
        namespace: "team",
        group: "apps",
        kind: "Deployment",
        version: "v1",
        action,
        resourceActionParameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
      },
    });
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "team", name: "web" };
  const configMap = (name: string, namespace = "team") => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    namespace,
    name,
  });

  before(async () => {
    git = await createGitRepository({ "app/web.yaml": deploymentText("web") });
    api = await openApiWorld();
    const { kube } = api.world;
    for (const name of ["team", "elsewhere"])
      await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, limit());
    const metadata = { name: "argocd-cm", namespace: "argocd" };
    const data = { "resource.customizations.actions.apps_Deployment": scripts };
    await kube.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata, data },
      { fieldManager: "test", force: true, ...limit() },
    );
    const spec = {
      sourceRepos: ["*"],
      destinations: [{ server, namespace: "team" }],
      clusterResourceWhitelist: [{ group: "", kind: "Namespace" }],
    };
    const project = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      metadata: { name: "team", namespace: "argocd" },
      spec,
    };
    await kube.create(project, limit());
    const destination = { server, namespace: "team" };
    await kube.create(
      sketchApplication({ name: "web", repoURL: git.url, path: "app", project: "team", destination }),
      limit(),
    );
    await requestSync(api.world, "web");
    await untilObject(api.world, deployment, (object) => object !== undefined);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  test("they are listed, the operator's first, with what discovery says of each", async () => {
    const { status, body } = await api.request("GET", `${path}?${query}`);
    assert.equal(status, 200);
    assert.ok(isRecord(body) && Array.isArray(body.actions));
    const actions = body.actions.filter(isRecord);
    assert.deepEqual(
      actions.map(({ name }) => name),
      ["annotate", "copy", "spread", "restart", "pause", "resume", "scale"],
    );
    assert.deepEqual(actions[0], {
      name: "annotate",
      disabled: false,
      displayName: "Annotate",
      params: [{ name: "text" }],
    });
    assert.equal(actions[2]?.disabled, true);
  });

  test("a script changes the object by its parameters, and makes others", async () => {
    assert.equal((await run("annotate", { text: "hello" })).status, 200);
    const changed = await api.world.kube.get(deployment, limit().signal);
    assert.equal(changed?.metadata.annotations?.said, "hello");
    assert.equal((await run("scale", { replicas: "2" })).status, 200);
    assert.equal((await run("copy")).status, 200);
    assert.deepEqual((await api.world.kube.get(configMap("copy"), limit().signal))?.data, { of: "web" });
    assert.equal((await run("nothing")).status, 200);
  });

  test("where the project permits one of several objects not, none is made", async () => {
    const { status, body } = await run("spread");
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /second/);
    for (const ref of [configMap("first"), configMap("second", "elsewhere")])
      assert.equal(await api.world.kube.get(ref, limit().signal), undefined);
  });

  test("what a script may not do, and what it does wrong, is told in a sentence", async () => {
    const cases: [string, RegExp][] = [
      ["other", /a patch may change the object alone on which the action runs/],
      [
        "broken",
        /action\.lua of \\"broken\\" in resource\.customizations\.actions\.apps_Deployment failed.*nil value/,
      ],
      ["explode", /has no action \\"explode\\"; it has annotate, copy, spread/],
    ];
    for (const [action, message] of cases) {
      const { status, body } = await run(action);
      assert.equal(status, 400, action);
      assert.match(JSON.stringify(body), message);
    }
  });
});
