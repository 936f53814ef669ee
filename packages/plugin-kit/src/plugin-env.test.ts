import assert from "node:assert/strict";
import { test } from "node:test";
import type { RenderContext } from "./plugin.ts";
import {
  announcementEnv,
  discoveryEnv,
  pluginEnv,
  withoutRevision,
  withParameterDefaults,
} from "./plugin-env.ts";
import type { SourceTree } from "./source-tree.ts";

const nowhere: SourceTree = {
  revision: "abc",
  entry: async () => undefined,
  list: async () => [],
  read: async () => Buffer.alloc(0),
  size: async () => 0,
};

function contextOf(source: Partial<RenderContext["source"]>): RenderContext {
  return {
    tree: nowhere,
    path: "app",
    refs: {},
    source: { repoURL: "https://git.example/x", ...source },
    appName: "web",
    namespace: "shop",
    project: "default",
    kubeVersion: "v1.30",
    apiVersions: ["v1"],
    env: { ARGOCD_APP_NAME: "web", ARGOCD_APP_REVISION: "abc", ARGOCD_APP_SOURCE_PATH: "" },
    settings: {},
  };
}

const shown = (variables: readonly { name: string; value: string }[]) =>
  variables.map(({ name, value }) => `${name}=${value}`);

test("a source without a plugin section gets no variables of its own; empty values stay", () => {
  assert.deepEqual(shown(pluginEnv(contextOf({}))), [
    "ARGOCD_APP_NAME=web",
    "ARGOCD_APP_REVISION=abc",
    "ARGOCD_APP_SOURCE_PATH=",
    "KUBE_VERSION=1.30",
    "KUBE_API_VERSIONS=v1",
  ]);
});

test("variables are expanded over Argo CD's, not over each other", () => {
  const env = [
    { name: "ONE", value: "${ARGOCD_APP_NAME}" },
    { name: "TWO", value: "$ARGOCD_ENV_ONE!" },
  ];
  const own = shown(pluginEnv(contextOf({ plugin: { env } }))).slice(5);
  assert.deepEqual(own, ["ARGOCD_ENV_ONE=web", "ARGOCD_ENV_TWO=!", "ARGOCD_APP_PARAMETERS=null"]);
});

test("parameters are told as Go writes JSON, and one by one", () => {
  const parameters = [{ name: "é-x", map: { z: "1", a: "\u2028" } }, { array: [] }];
  const own = shown(pluginEnv(contextOf({ plugin: { parameters } }))).slice(5);
  assert.deepEqual(own, [
    'ARGOCD_APP_PARAMETERS=[{"map":{"a":"\\u2028","z":"1"},"name":"é-x"},{"array":[],"name":""}]',
    "PARAM___X_A=\u2028",
    "PARAM___X_Z=1",
  ]);
});

test("announcements and looks for a match know nothing of the cluster", () => {
  const context = contextOf({ plugin: {} });
  assert.ok(!shown(announcementEnv(context)).some((one) => one.startsWith("KUBE_")));
  assert.deepEqual(discoveryEnv({ A: "b" }), [{ name: "A", value: "b" }]);
});

test("the commit's id is left out where inputs are named", () => {
  assert.ok(!shown(withoutRevision(pluginEnv(contextOf({})))).some((one) => one.includes("REVISION")));
});

test("defaults of parameters stand where an application sets none, when a plugin passes them", () => {
  const announced = [
    { name: "size", string: "small" },
    { name: "web-hosts", array: ["a", "b"] },
    { name: "labels", map: { tier: "web" } },
    { name: "note", tooltip: "without a default" },
    { name: "given", string: "no" },
  ];
  const env = { PARAM_GIVEN: "yes", ARGOCD_APP_PARAMETERS: '[{"name":"given","string":"yes"}]', X: "1" };
  assert.deepEqual(withParameterDefaults(env, announced), {
    X: "1",
    PARAM_GIVEN: "yes",
    PARAM_SIZE: "small",
    PARAM_WEB_HOSTS_0: "a",
    PARAM_WEB_HOSTS_1: "b",
    PARAM_LABELS_TIER: "web",
    ARGOCD_APP_PARAMETERS:
      '[{"name":"given","string":"yes"},{"name":"size","string":"small"},{"array":["a","b"],"name":"web-hosts"},{"map":{"tier":"web"},"name":"labels"}]',
  });
  assert.equal(withParameterDefaults(env, [{ name: "note" }]), env);
  assert.equal(withParameterDefaults({}, [{ name: "a", string: "" }]).PARAM_A, "");
});
