import assert from "node:assert/strict";
import { test } from "node:test";
import { moveKubeconfig, readKubeconfig } from "./read-kubeconfig.ts";

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

test("another context of a person's own file: its program, and its files from where it lies", () => {
  const config = readKubeconfig(kubeconfig, { context: "second", folder: "/home/me/.kube" });
  assert.deepEqual(config, {
    server: "https://two.example.com",
    caFile: "/home/me/.kube/ca.pem",
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
    () => readKubeconfig(kubeconfig, { context: "third" }),
    /contexts: has no entry "third"; it has first, second, broken/,
  );
  assert.throws(() => readKubeconfig(kubeconfig, { context: "broken" }), /clusters: has no entry "nowhere"/);
  assert.throws(() => readKubeconfig("[]"), /is not a kubeconfig/);
});

const written = (cluster: object, user: object) =>
  JSON.stringify({
    "current-context": "own",
    clusters: [{ name: "own", cluster: { server: "https://localhost", ...cluster } }],
    users: [{ name: "me", user }],
    contexts: [{ name: "own", context: { cluster: "own", user: "me" } }],
  });
const program = { apiVersion: "client.authentication.k8s.io/v1", command: "bin/login" };

test("a kubeconfig that is nobody's own file names no file and no program", () => {
  const refused: [object, object, RegExp][] = [
    [
      { "certificate-authority": "/etc/shadow" },
      {},
      /clusters\[own\].cluster.certificate-authority: names the/,
    ],
    [
      {},
      { "client-certificate": "a" },
      /users\[me\].user.client-certificate: .*; use client-certificate-data/,
    ],
    [{}, { "client-key": "a" }, /users\[me\].user.client-key: names the file a/],
    [
      {},
      { tokenFile: "a" },
      /users\[me\].user.tokenFile: names the file a, which is not read here; use token/,
    ],
    [{}, { exec: program }, /users\[me\].user.exec: asks to run bin\/login, which is not done here/],
  ];
  for (const [cluster, user, message] of refused)
    assert.throws(() => readKubeconfig(written(cluster, user)), message);
});

test("a program's path counts from the file, its name does not; data counts before a file", () => {
  const user = { "client-key": "k", "client-key-data": base64("KEY"), tokenFile: "../t", exec: program };
  const { exec, keyData, keyFile, bearerTokenFile } = readKubeconfig(written({}, user), { folder: "/a/b" });
  assert.deepEqual([keyData, keyFile, bearerTokenFile], ["KEY", undefined, "/a/t"]);
  assert.equal(exec?.command, "/a/b/bin/login");
  const named = written({}, { exec: { ...program, command: "aws" } });
  assert.equal(readKubeconfig(named, { folder: "/a/b" }).exec?.command, "aws");
});

test("a program that needs a terminal, or an interface of before, is refused with what to do", () => {
  const read = (exec: object) => readKubeconfig(written({}, { exec }), { folder: "/a" });
  assert.throws(
    () => read({ ...program, interactiveMode: "Always" }),
    /no terminal to ask at; use IfAvailable/,
  );
  assert.throws(
    () => read({ ...program, apiVersion: "client.authentication.k8s.io/v1alpha1" }),
    /exec.apiVersion: is client.authentication.k8s.io\/v1alpha1; known are .*v1 and .*v1beta1/,
  );
});

test("moved elsewhere, a kubeconfig means the same", () => {
  const user = {
    "client-certificate": "me.crt",
    "client-key": "/keys/me.key",
    tokenFile: "t",
    exec: program,
  };
  const text = written({ "certificate-authority": "../ca.crt" }, user);
  const moved = moveKubeconfig(text, "/home/me");
  assert.deepEqual(
    readKubeconfig(moved, { folder: "/elsewhere" }),
    readKubeconfig(text, { folder: "/home/me" }),
  );
  assert.equal(JSON.parse(moved).users[0].user.exec.command, "/home/me/bin/login");
});
