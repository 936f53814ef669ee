import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject, AppProjectSpec } from "@capstan/model";
import {
  checkPermissions,
  permitsDestination,
  permitsNamespace,
  permitsSource,
  ruleAgainstKind,
} from "./project-rules.ts";

const project = (spec: AppProjectSpec): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "team" },
  spec,
});

const sources: [string, string[], string, boolean][] = [
  ["nothing listed permits nothing", [], "https://x/a", false],
  ["a star permits all", ["*"], "https://x/a/b", true],
  ["one level", ["https://x/*"], "https://x/a", true],
  ["a star stops at a slash", ["https://x/*"], "https://x/a/b", false],
  ["two stars go deeper", ["https://x/**"], "https://x/a/b", true],
  [".git and case make no difference", ["https://X/a.git"], "https://x/A", true],
  ["the short form of ssh is ssh", ["ssh://git@x/a/b"], "git@x:a/b.git", true],
  ["a denial wins, wherever it stands", ["!https://x/secret", "*"], "https://x/secret", false],
  ["a denial alone permits all else", ["!https://x/secret"], "https://x/a", true],
];
for (const [fact, sourceRepos, url, expected] of sources) {
  test(`sources: ${fact}`, () => assert.equal(permitsSource(project({ sourceRepos }), url), expected));
}

const here = { server: "https://k", name: "prod", namespace: "shop" };
const destinations: [string, NonNullable<AppProjectSpec["destinations"]>, boolean][] = [
  ["nothing listed permits nothing", [], false],
  ["by server", [{ server: "https://k", namespace: "shop" }], true],
  ["by name", [{ name: "prod", namespace: "*" }], true],
  ["globs cross everything", [{ server: "*", namespace: "sh*" }], true],
  ["another namespace", [{ server: "*", namespace: "kube-*" }], false],
  [
    "a denied namespace",
    [
      { server: "*", namespace: "*" },
      { server: "*", namespace: "!shop" },
    ],
    false,
  ],
  ["a namespace that is not the denied one", [{ server: "*", namespace: "!kube-system" }], true],
  [
    "a denied server",
    [
      { server: "*", namespace: "*" },
      { server: "!https://k", namespace: "*" },
    ],
    false,
  ],
  [
    "a denied name rejects whatever the namespace",
    [
      { server: "*", namespace: "*" },
      { name: "!prod", namespace: "x" },
    ],
    false,
  ],
  ["an entry without a cluster permits nothing", [{ namespace: "*" }], false],
];
for (const [fact, list, expected] of destinations) {
  test(`destinations: ${fact}`, () =>
    assert.equal(permitsDestination(project({ destinations: list }), here), expected));
}

const web = { group: "apps", kind: "Deployment", namespace: "shop", name: "web" };
const role = { group: "rbac.authorization.k8s.io", kind: "ClusterRole", namespace: "", name: "web-reader" };
const kinds: [string, AppProjectSpec, typeof web, boolean][] = [
  ["no namespace list permits all", {}, web, true],
  ["an empty namespace list permits none", { namespaceResourceWhitelist: [] }, web, false],
  ["a listed kind", { namespaceResourceWhitelist: [{ group: "apps", kind: "Deploy*" }] }, web, true],
  ["a forbidden kind", { namespaceResourceBlacklist: [{ group: "*", kind: "Deployment" }] }, web, false],
  ["no cluster list permits none", {}, role, false],
  ["a cluster kind by globs", { clusterResourceWhitelist: [{ group: "*", kind: "*" }] }, role, true],
  [
    "a cluster kind by name",
    { clusterResourceWhitelist: [{ group: "*", kind: "ClusterRole", name: "other-*" }] },
    role,
    false,
  ],
  [
    "the black list wins",
    {
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
      clusterResourceBlacklist: [{ group: "rbac.authorization.k8s.io", kind: "*" }],
    },
    role,
    false,
  ],
  [
    "braces mean nothing here",
    { namespaceResourceWhitelist: [{ group: "apps", kind: "{Deployment,Job}" }] },
    web,
    false,
  ],
];
for (const [fact, spec, key, expected] of kinds) {
  test(`kinds: ${fact}`, () =>
    assert.equal(ruleAgainstKind(project(spec), key, key.namespace !== "") === undefined, expected));
}

test("applications may stand in the control namespace and in listed ones", () => {
  const spec = { sourceNamespaces: ["team-*", "/^dev-[0-9]+$/", "/[/"] };
  const permits = (namespace: string): boolean => permitsNamespace(project(spec), namespace, "argocd");
  assert.deepEqual(["argocd", "team-a", "dev-1", "dev-x"].map(permits), [true, true, true, false]);
});

test("everything that is forbidden is told", () => {
  const failures = checkPermissions({
    project: project({}),
    repositories: ["https://x/a", "https://x/a"],
    destination: here,
    applicationNamespace: "other",
    controlNamespace: "argocd",
  });
  assert.deepEqual(
    failures.map(({ code }) => code),
    ["NAMESPACE_FORBIDDEN", "SOURCE_FORBIDDEN", "DESTINATION_FORBIDDEN"],
  );
});

test("sources: a URL is looked at in linear time, and one that is too long is permitted to nobody", () => {
  const url = `https://x/${"/".repeat(1_000_000)}x`;
  assert.equal(permitsSource(project({ sourceRepos: ["*"] }), url), false);
});
