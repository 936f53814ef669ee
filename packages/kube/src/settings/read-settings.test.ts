import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { clusterFor } from "./clusters.ts";
import { isExcludedKind } from "./kind-filter.ts";
import { readSettings } from "./read-settings.ts";
import { repositoriesOf, repositoryFor } from "./repositories.ts";

const map = (name: string, data: Record<string, string>): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

function secret(name: string, type: string | undefined, texts: Record<string, string>): Manifest {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  const labels = type ? { "argocd.argoproj.io/secret-type": type } : {};
  return { apiVersion: "v1", kind: "Secret", metadata: { name, labels }, data };
}

test("without any ConfigMap the defaults of Argo CD are in force", () => {
  const { general, rbac, problems } = readSettings([], []);
  assert.equal(general.tracking.method, "annotation");
  assert.equal(general.reconcileMs, 120_000);
  assert.equal(general.adminEnabled, true);
  assert.deepEqual(rbac.scopes, ["groups"]);
  assert.deepEqual(problems, []);
});

test("a project has the repositories of no project and its own, with credentials of templates", () => {
  const settings = readSettings(
    [],
    [
      secret("charts", "repository", { url: "https://charts.example/web", name: "charts", type: "helm" }),
      secret("registry", "repository", {
        ...{ url: "registry.example/charts", type: "helm", enableOCI: "true" },
        ...{ insecureOCIForceHttp: "true", username: "robot", password: "secret" },
      }),
      secret("other", "repository", { url: "https://other.example", type: "helm", project: "other" }),
      secret("template", "repo-creds", { url: "https://charts.example", username: "ada", password: "hers" }),
    ],
  );
  const { repositories, credentialTemplates } = repositoriesOf(settings, "default");
  assert.deepEqual(
    repositories.map(({ url, name, type, enableOci, username, insecureOciForceHttp }) => [
      ...[url, name, type, enableOci, username, insecureOciForceHttp],
    ]),
    [
      ["https://charts.example/web", "charts", "helm", undefined, "ada", undefined],
      ["registry.example/charts", undefined, "oci", true, "robot", true],
    ],
  );
  assert.deepEqual(
    credentialTemplates.map(({ url, password }) => [url, password]),
    [["https://charts.example", "hers"]],
  );
  assert.equal(repositoriesOf(settings, "other").repositories.length, 3);
  assert.equal(repositoriesOf(settings, "default").repositories, repositories, "found once");
});

test("keys and identities that are for git alone are said where they have no effect", () => {
  const data = { url: "registry.example/charts", useAzureWorkloadIdentity: "true", enableOCI: "true" };
  const { problems } = readSettings(
    [],
    [
      secret("charts", "repository", { ...data, type: "helm", githubAppPrivateKey: "x" }),
      secret("git", "repository", { ...data, url: "https://dev.azure.com/o/_git/r" }),
      secret("off", "repository", { ...data, type: "helm", useAzureWorkloadIdentity: "false" }),
    ],
  );
  assert.deepEqual(
    problems.map(({ where, field }) => `${where} ${field}`),
    ["Secret charts githubAppPrivateKey", "Secret charts useAzureWorkloadIdentity"],
  );
  assert.match(problems[0]?.problem ?? "", /no effect on a repository of type oci: give it a password/);
});

test("programs of kustomize by version, by either key", () => {
  const data = { "kustomize.path.v5.8": "/usr/bin/k58", "kustomize.version.v4": "/usr/bin/k4" };
  const { general } = readSettings([map("argocd-cm", data)], []);
  assert.deepEqual(general.kustomizeVersions, { "v5.8": "/usr/bin/k58", v4: "/usr/bin/k4" });
});

test("values are read, and one that cannot be read is told and left at its default", () => {
  const { general, problems } = readSettings(
    [
      map("argocd-cm", {
        "timeout.reconciliation": "5m",
        "timeout.hard.reconciliation": "soon",
        "application.resourceTrackingMethod": "annotation+label",
        "kustomize.enable": "false",
        "resource.exclusions": "- apiGroups: ['*.example.com']\n  kinds: ['*']\n",
        "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]\n",
        "resource.customizations.ignoreDifferences.all": "managedFieldsManagers: [someone]\n",
        "resource.compareoptions": "ignoreResourceStatusField: none\n",
        "resource.inclusions": "[unclosed",
      }),
    ],
    [],
  );
  assert.equal(general.reconcileMs, 300_000);
  assert.equal(general.tracking.method, "annotation+label");
  assert.deepEqual(general.disabledTypes, ["Kustomize"]);
  assert.equal(general.ignoreResourceStatusField, "none");
  assert.deepEqual(
    general.ignoreDifferences.map(({ group, kind }) => `${group}/${kind}`),
    ["apps/Deployment", "*/*"],
  );
  assert.equal(isExcludedKind(general, { group: "a.example.com", kind: "X" }, "s"), true);
  assert.equal(isExcludedKind(general, { group: "apps", kind: "X" }, "s"), false);
  assert.deepEqual(problems.map(({ field }) => field).sort(), [
    "resource.inclusions",
    "timeout.hard.reconciliation",
  ]);
});

test("a pattern of passwords that is no expression is told, and none takes its place", () => {
  const { general, problems } = readSettings([map("argocd-cm", { passwordPattern: "^(?=.*[A-Z]).+$" })], []);
  assert.deepEqual(
    problems.map(({ field }) => field),
    ["passwordPattern"],
  );
  assert.equal(general.passwordPattern, "^(?=.*[A-Z]).+$");
});

test("a repository takes its project's Secret, and credentials of the longest prefix", () => {
  const settings = readSettings(
    [],
    [
      secret("plain", "repository", { url: "https://example.com/org/repo.git", username: "plain" }),
      secret("scoped", "repository", {
        url: "https://example.com/org/repo",
        project: "team",
        username: "scoped",
      }),
      secret("short", "repo-creds", { url: "https://example.com", username: "short" }),
      secret("long", "repo-creds", { url: "https://example.com/org", username: "long", password: "p" }),
      secret("bad", "repository", { username: "u" }),
    ],
  );
  assert.equal(repositoryFor(settings, "https://example.com/org/repo", "team").username, "scoped");
  assert.equal(repositoryFor(settings, "https://example.com/org/repo", "other").username, "plain");
  const inherited = repositoryFor(settings, "https://example.com/org/new");
  assert.deepEqual(
    [inherited.username, inherited.password, inherited.url],
    ["long", "p", "https://example.com/org/new"],
  );
  assert.deepEqual(repositoryFor(settings, "https://elsewhere.com/a"), { url: "https://elsewhere.com/a" });
  assert.deepEqual(settings.problems, [{ where: "Secret bad", field: "url", problem: "is missing" }]);
});

test("a project's repository that sets a proxy or drops TLS gets no template's credentials, and it is said", () => {
  const template = { url: "https://example.com", username: "all", password: "the template's" };
  const of = (more: Record<string, string>) => {
    const texts = { url: "https://example.com/org/repo", ...more };
    return readSettings([], [secret("t", "repo-creds", template), secret("r", "repository", texts)]);
  };
  for (const more of [
    { proxy: "http://evil.example" },
    { insecure: "true" },
    { forceHttpBasicAuth: "true" },
  ]) {
    const settings = of({ project: "team", ...more });
    assert.equal(repositoryFor(settings, "https://example.com/org/repo", "team").password, undefined);
    assert.equal(repositoriesOf(settings, "team").repositories[0]?.password, undefined);
    assert.match(settings.problems[0]?.problem ?? "", /project team .* credentials of the template/);
    const ofOperator = of(more);
    assert.equal(
      repositoryFor(ofOperator, "https://example.com/org/repo", "team").password,
      template.password,
    );
    assert.deepEqual(ofOperator.problems, []);
  }
  const ownPassword = of({ project: "team", proxy: "http://proxy", password: "mine" });
  assert.equal(repositoryFor(ownPassword, "https://example.com/org/repo", "team").password, "mine");
});

test("a template of one project is for its applications alone", () => {
  const texts = { url: "https://example.com", password: "p", project: "team" };
  const settings = readSettings([], [secret("t", "repo-creds", texts)]);
  assert.equal(repositoryFor(settings, "https://example.com/x", "team").password, "p");
  assert.equal(repositoryFor(settings, "https://example.com/x", "rival").password, undefined);
  assert.equal(repositoryFor(settings, "https://example.com/x").password, undefined);
  assert.deepEqual(repositoriesOf(settings, "rival").credentialTemplates, []);
});

test("clusters are found by server and by name", () => {
  const config = JSON.stringify({
    bearerToken: "t",
    tlsClientConfig: { caData: Buffer.from("CA").toString("base64"), insecure: false },
  });
  const settings = readSettings(
    [],
    [
      secret("east", "cluster", {
        server: "https://east.example.com/",
        name: "east",
        config,
        namespaces: "a, b",
      }),
      secret("west", "cluster", { server: "https://west.example.com", name: "twin", config }),
      secret("south", "cluster", { server: "https://south.example.com", name: "twin", config }),
      secret("broken", "cluster", { server: "https://broken.example.com", config: "{" }),
    ],
  );
  const east = settings.clusters.find(({ name }) => name === "east");
  assert.deepEqual(east?.config, { server: "https://east.example.com", caData: "CA", bearerToken: "t" });
  assert.deepEqual(east?.namespaces, ["a", "b"]);
  assert.equal(clusterFor(settings, { name: "east" }).server, "https://east.example.com");
  assert.equal(clusterFor(settings, { name: "in-cluster" }).server, "https://kubernetes.default.svc");
  assert.equal(clusterFor(settings, { server: "https://kubernetes.default.svc/" }).name, "in-cluster");
  assert.throws(() => clusterFor(settings, { name: "twin" }), /several clusters are called "twin"/);
  assert.throws(
    () => clusterFor(settings, { name: "nope" }),
    /there are no clusters with this name: "nope"\. Add it(?!.*kubernetes)/,
  );
  assert.throws(
    () => clusterFor(settings, { server: "https://nope" }),
    /there is no cluster "https:\/\/nope"\./,
  );
  const { clusters, general } = settings;
  const disabled = { clusters, general: { ...general, inClusterEnabled: false } };
  for (const destination of [{ name: "in-cluster" }, { server: "https://kubernetes.default.svc" }])
    assert.throws(
      () => clusterFor(disabled, destination),
      /^CapstanError: cluster "https:\/\/kubernetes\.default\.svc" is disabled: cluster\.inClusterEnabled/,
    );
  assert.throws(() => clusterFor(settings, { name: "east", server: "https://x" }), /keep one of them/);
  assert.throws(() => clusterFor(settings, {}), /names no cluster/);
  assert.match(settings.problems[0]?.problem ?? "", /is not a JSON object/);
});

test("Secret argocd-plugin-services-tls says who vouches for plugin services and what they are shown", () => {
  const name = "argocd-plugin-services-tls";
  const all = { "ca.crt": "authority", "tls.crt": "certificate", "tls.key": "key" };
  assert.deepEqual(readSettings([], [secret(name, undefined, all)]).pluginTls, {
    authority: { authority: "authority", from: `ca.crt of Secret ${name}` },
    certificate: { certificate: "certificate", key: "key" },
  });
  const half = readSettings(
    [],
    [secret(name, undefined, { "ca.crt": "authority", "tls.crt": "certificate" })],
  );
  assert.deepEqual(Object.keys(half.pluginTls), ["authority"]);
  assert.deepEqual(half.problems, [
    { where: `Secret ${name}`, field: "tls.key", problem: "is missing: tls.crt and tls.key belong together" },
  ]);
  const tokens = { "kpt-token": { token: "for-callers" }, "empty-token": { other: "x" } };
  const given = Object.entries(tokens).map(([one, texts]) => secret(one, "plugin-token", texts));
  assert.deepEqual(readSettings([], given).pluginTls, { tokens: { "kpt-token": "for-callers" } });
  assert.deepEqual(readSettings([], []).pluginTls, {});
});
