import assert from "node:assert/strict";
import { test } from "node:test";
import { commandEnvironment, pathsNamedBy } from "./command-environment.ts";
import { networkTool } from "./network-tool.ts";

const own = {
  PATH: "/bin",
  LANG: "C",
  VAULT_TOKEN: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  KUBECONFIG: "/k",
  CAPSTAN_PASSWORD: "secret",
  HTTPS_PROXY: "http://proxy",
};
const given = (environment: string[] = [], more: { whole?: boolean; network?: boolean } = {}) =>
  Object.keys(commandEnvironment(own, { environment, whole: false, network: false, ...more })).sort();

test("commands get nothing of the server's but what their plugin names", () => {
  assert.deepEqual(given(), ["LANG", "PATH"]);
  assert.deepEqual(given(["VAULT_*", "KUBECONFIG"]), ["KUBECONFIG", "LANG", "PATH", "VAULT_TOKEN"]);
  assert.deepEqual(given([], { network: true }), ["HTTPS_PROXY", "LANG", "PATH"]);
});

test("in a container of the plugin's own they get all but what is Capstan's", () => {
  assert.ok(given([], { whole: true }).includes("VAULT_TOKEN"));
  assert.ok(!given([], { whole: true }).includes("CAPSTAN_PASSWORD"));
  assert.ok(given(["CAPSTAN_PASSWORD"]).includes("CAPSTAN_PASSWORD"));
});

test("files that variables name are found", () => {
  const env = {
    PATH: "/bin",
    HOME: "/h",
    A: "/etc/a:/etc/b",
    B: "https://example.org/x",
    C: "//x",
    D: "relative",
  };
  assert.deepEqual(pathsNamedBy(env), ["/etc/a", "/etc/b"]);
});

test("a plugin asks for the network by naming a program that fetches", () => {
  const asks = (...command: string[]) =>
    networkTool({
      apiVersion: "",
      kind: "ConfigManagementPlugin",
      metadata: { name: "p" },
      spec: { generate: { command } },
    });
  assert.equal(asks("sh", "-c", "helm dependency build && helm template ."), "helm dependency");
  assert.equal(asks("/usr/bin/curl", "https://example.org"), "curl");
  assert.equal(asks("argocd-vault-plugin", "generate", "."), "argocd-vault-plugin");
  for (const plain of ["helm template .", "kustomize build .", "cat curly.yaml", "./curl-less.sh"])
    assert.equal(asks("sh", "-c", plain), undefined);
});
