import assert from "node:assert/strict";
import { test } from "node:test";
import { readKubeconfig } from "./read-kubeconfig.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: first
clusters:
- name: one
  cluster: {server: "https://one.example.com:6443", certificate-authority-data: ${base64("CA")}, tls-server-name: inner}
- name: two
  cluster: {server: "https://two.example.com", insecure-skip-tls-verify: true, proxy-url: "http://proxy:3128", certificate-authority: ca.pem}
contexts:
- name: first
  context: {cluster: one, user: token}
- name: second
  context: {cluster: two, user: program}
- name: broken
  context: {cluster: nowhere, user: token}
users:
- name: token
  user: {token: secret-token}
- name: program
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: login, args: [a, b], env: [{name: A, value: "1"}], provideClusterInfo: true}
`;

test("the current context is read", () => {
  assert.deepEqual(readKubeconfig(kubeconfig), {
    server: "https://one.example.com:6443",
    caData: "CA",
    serverName: "inner",
    bearerToken: "secret-token",
  });
});

test("another context, with a credential program and files", () => {
  const config = readKubeconfig(kubeconfig, "second", (path) => `content of ${path}`);
  assert.deepEqual(config, {
    server: "https://two.example.com",
    caData: "content of ca.pem",
    insecure: true,
    proxyUrl: "http://proxy:3128",
    exec: {
      command: "login",
      args: ["a", "b"],
      env: { A: "1" },
      apiVersion: "client.authentication.k8s.io/v1",
      provideClusterInfo: true,
    },
  });
});

test("what is missing is named", () => {
  assert.throws(
    () => readKubeconfig(kubeconfig, "third"),
    /contexts: has no entry "third"; it has first, second, broken/,
  );
  assert.throws(() => readKubeconfig(kubeconfig, "broken"), /clusters: has no entry "nowhere"/);
  assert.throws(() => readKubeconfig("[]"), /is not a kubeconfig/);
  assert.throws(() => readKubeconfig(kubeconfig, "second"), /names the file ca.pem/);
});
