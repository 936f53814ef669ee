import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiResource, readSettings } from "@capstan/kube";
import { type Application, type ApplicationSource, type AppProject, argoApiVersion } from "@capstan/model";
import { plainAnswer, repoServerOf } from "@capstan/testkit";
import type { ManifestRequest, RepoServer } from "@capstan/wire";
import { renderDesired } from "./render-desired.ts";
import type { RenderInput } from "./render-requests.ts";

const repoURL = "https://git.example/shop";
const app: Application = {
  apiVersion: argoApiVersion,
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd" },
  spec: { project: "team", destination: { name: "in-cluster", namespace: "shop" } },
};
const project: AppProject = {
  apiVersion: argoApiVersion,
  kind: "AppProject",
  metadata: { name: "team" },
  spec: { sourceRepos: [repoURL] },
};
const rows: ApiResource[] = [
  {
    ...{ group: "apps", version: "v1", kind: "Deployment", resource: "deployments", namespaced: true },
    ...{ verbs: ["get", "list", "watch"], shortNames: [], subresources: [], preferred: true },
  },
  {
    ...{ group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", namespaced: false },
    ...{ resource: "subjectaccessreviews", verbs: ["create"], shortNames: [], subresources: [] },
    preferred: true,
  },
];
const unused = async () => assert.fail("not asked for here");

/** A repo server that answers with the source's path, and what it was asked. */
function place(sources: readonly ApplicationSource[], more: Partial<RenderInput> = {}) {
  const asked: ManifestRequest[] = [];
  const repo: Pick<RepoServer, "generateManifests" | "resolveRevision"> = {
    async generateManifests(request) {
      asked.push(request);
      const { path = "." } = request.source;
      return {
        manifests: [
          { manifest: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: path } }, digest: path },
        ],
        revision: `commit of ${path}`,
        ...plainAnswer,
        commands: [`cat ${path}`],
        cache: path === "known" ? "hit" : "miss",
        ...(path === "." ? {} : { validForMs: path.length }),
      };
    },
    resolveRevision: async ({ revision = "HEAD" }) => ({ revision: `commit of ${revision}`, ambiguous: "" }),
  };
  const discovery = {
    known: () => rows,
    resources: async () => rows,
    refresh: async () => rows,
    serverVersion: async () => "1.34",
    find: unused,
    resourceFor: unused,
  };
  const needs = {
    repo: repoServerOf(repo),
    settings: { current: readSettings([], []) },
    controlNamespace: "argocd",
  };
  const render = (manifests?: readonly string[]) =>
    renderDesired(
      needs,
      { app, project, discovery, sources, manifests, ...more },
      AbortSignal.timeout(10_000),
    );
  return { asked, render };
}

test("a source that only lends files has a revision and nothing else", async () => {
  const sources = [
    { repoURL, ref: "values" },
    { repoURL, path: "web" },
    { repoURL, path: "known" },
  ];
  const { asked, render } = place(sources, { revisions: ["v1", undefined, "v3"] });
  const desired = await render();
  assert.deepEqual(desired.revisions, ["commit of v1", "commit of web", "commit of known"]);
  assert.deepEqual(desired.sourceTypes, ["Directory", "Directory"]);
  assert.deepEqual(desired.commands, ["cat web", "cat known"]);
  assert.equal(desired.renders, 1);
  assert.equal(desired.validForMs, 3);
  assert.deepEqual(
    asked.map(({ revision }) => revision),
    [undefined, "v3"],
  );
  assert.deepEqual(Object.keys(asked[0]?.refSources ?? {}), ["values"]);
});

test("a source without a path is the whole repository", async () => {
  const { render } = place([{ repoURL }]);
  assert.deepEqual((await render()).revisions, ["commit of ."]);
});

test("what the project does not permit is not asked for, be it rendered or lent", async () => {
  for (const foreign of [{ path: "web" }, { ref: "values" }]) {
    const { asked, render } = place([
      { repoURL, path: "web" },
      { repoURL: "https://git.example/other", ...foreign },
    ]);
    await assert.rejects(render(), /is not permitted in project/);
    assert.deepEqual(asked, []);
  }
});

test("manifests that are given are not rendered, and stand at the operation's revisions", async () => {
  const { asked, render } = place([{ repoURL, path: "web" }], { revisions: ["v1"] });
  const desired = await render(['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"given"}}']);
  assert.deepEqual(
    desired.manifests.map(({ manifest }) => manifest.metadata.name),
    ["given"],
  );
  assert.deepEqual(desired.revisions, ["v1"]);
  assert.deepEqual(asked, []);
});

test("the cluster's kinds are Helm's capabilities", async () => {
  const { asked, render } = place([{ repoURL, path: "web" }]);
  await render();
  assert.deepEqual(asked[0]?.apiVersions, ["apps/v1", "apps/v1/Deployment"]);
  assert.equal(asked[0]?.kubeVersion, "1.34");
});
