/** The same generators of hosts make the same Applications here and in the real Argo CD, or fail in both. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import {
  giteaApi,
  githubApi,
  gitlabApi,
  type HostedSketch,
  type HostServer,
  lackingArgoCD,
  type RealArgoCD,
  startArgoCD,
  startEmbeddedCluster,
  startHostServer,
} from "@capstan/testkit";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";
import { generatedByOurs, generatedByReal, generatingParts, sketchSet } from "./generated-sets.ts";

const skip = lackingArgoCD();
const limit = () => AbortSignal.timeout(100_000);
const opened = new AsyncDisposableStack();
let argo: RealArgoCD;
let world: SmallWorld;
const servers: Record<string, HostServer> = {};

const sketch: HostedSketch = {
  owner: "acme",
  token: "s3cret",
  repositories: [
    {
      name: "web",
      id: 11,
      defaultBranch: "main",
      topics: ["prod", "eu"],
      branches: [
        { name: "main", sha: "a".repeat(40), files: ["deploy/prod/app.yaml", "README.md"] },
        { name: "feature/X_y+z", sha: "b".repeat(40), files: ["README.md"] },
      ],
      pulls: [
        {
          number: 3,
          title: "Add: {{more}}",
          author: "ann",
          branch: "feat/areally+long_pull_request_name_to_test_argo_slugification_and_branch_name",
          target: "main",
          sha: "c".repeat(40),
          labels: ["preview", "a"],
        },
        { number: 4, title: "Less", author: "bob", branch: "Über_x", target: "release/1.x", sha: "d123" },
      ],
    },
    {
      name: "api",
      id: 12,
      defaultBranch: "trunk",
      branches: [{ name: "trunk", sha: "e".repeat(40), files: ["x"] }],
    },
    {
      name: "old",
      id: 13,
      defaultBranch: "main",
      isArchived: true,
      branches: [{ name: "main", sha: "f".repeat(40) }],
    },
  ],
};

before(async () => {
  if (skip) return;
  for (const [name, api] of Object.entries({ github: githubApi, gitlab: gitlabApi, gitea: giteaApi }))
    servers[name] = opened.use(await startHostServer(api(sketch)));
  const cluster = opened.use(await startEmbeddedCluster());
  argo = opened.use(await startArgoCD(cluster, { only: generatingParts }));
  world = opened.use(await openSmallWorld());
  await world.stopController();
  const urls = Object.values(servers).map(({ url }) => url);
  await world.kube.create(
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "argocd-cmd-params-cm", namespace: "argocd" },
      data: { "applicationsetcontroller.allowed.scm.providers": urls.join(",") },
    },
    { signal: limit() },
  );
  for (const { kube } of [cluster, world])
    await kube.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "host",
          namespace: "argocd",
          // The API server of Argo CD asks for it in any case.
          labels: { "argocd.argoproj.io/secret-type": "scm-creds" },
        },
        stringData: { token: "s3cret", wrong: "x" },
      },
      { signal: limit() },
    );
  while (Object.keys(world.settings.current.params).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
});
after(() => opened.disposeAsync());

const tokenRef = { secretName: "host", key: "token" };
const scm =
  "{{organization}} {{repository}} {{url}} {{branch}} {{sha}} {{short_sha}} {{short_sha_7}} {{labels}}";
const pr =
  "{{title}} {{author}} {{branch}} {{branch_slug}} {{target_branch}} {{target_branch_slug}} {{head_sha}} {{head_short_sha}} {{head_short_sha_7}} {{values.v}}";
const scmGo = "{{.repository}} {{.repository_id}} {{.branch}} {{.labels}}";

interface Case {
  readonly name: string;
  readonly path: string;
  readonly generator: object;
  readonly goTemplate?: boolean;
}

function casesOf(provider: string, owned: object, one: object): Record<string, Case> {
  const of = (more: object, rest: object = {}) => ({
    scmProvider: { [provider]: { ...owned, api: "URL", tokenRef, ...more }, ...rest },
  });
  const pull = (more: object, rest: object = {}) => ({
    pullRequest: { [provider]: { ...one, api: "URL", tokenRef, ...more }, ...rest },
  });
  const name = "{{repository}}-{{branchNormalized}}";
  const named = { name, path: scm };
  const numbered = { name: "pr-{{number}}", path: pr };
  return {
    repositories: { ...named, generator: of({}) },
    "repositories by HTTPS": { ...named, generator: of({}, { cloneProtocol: "https" }) },
    "an unknown protocol": { ...named, generator: of({}, { cloneProtocol: "git" }) },
    "all branches": { ...named, generator: of({ allBranches: true }) },
    "repositories in Go": {
      name: "{{.repository}}-{{.branchNormalized}}",
      path: scmGo,
      goTemplate: true,
      generator: of({}),
    },
    "by name and by label": {
      ...named,
      generator: of({}, { filters: [{ repositoryMatch: "^a" }, { labelMatch: "prod" }] }),
    },
    "by paths": {
      ...named,
      generator: of({}, { filters: [{ pathsExist: ["deploy/prod/"] }, { pathsExist: ["x"] }] }),
    },
    "by a path that is not there": {
      ...named,
      generator: of(
        { allBranches: true },
        { filters: [{ branchMatch: "main|feat", pathsDoNotExist: ["deploy"] }] },
      ),
    },
    "a filter of repositories and one of branches": {
      ...named,
      generator: of(
        { allBranches: true },
        { filters: [{ repositoryMatch: "web" }, { branchMatch: "^feature" }] },
      ),
    },
    "a filter that is none": { ...named, generator: of({}, { filters: [{ repositoryMatch: "(" }] }) },
    "a wrong token": { ...named, generator: of({ tokenRef: { secretName: "host", key: "wrong" } }) },
    "a Secret that is not there": { ...named, generator: of({ tokenRef: { secretName: "none", key: "x" } }) },
    "pull requests": { ...numbered, generator: pull({}, { values: { v: "{{number}}-{{branch_slug}}" } }) },
    "pull requests in Go": {
      name: "pr-{{.number}}",
      path: "{{.title}} {{.author}} {{.labels}} {{.branch_slug}} {{.values.v}}",
      goTemplate: true,
      generator: pull({}, { values: { v: "{{.head_short_sha_7}}" } }),
    },
    "pull requests by label": { ...numbered, generator: pull({ labels: ["preview"] }) },
    "pull requests by filters": {
      ...numbered,
      generator: pull(
        {},
        { filters: [{ branchMatch: "x$", targetBranchMatch: "^rel" }, { titleMatch: "none" }] },
      ),
    },
    "pull requests of no repository": {
      ...numbered,
      generator: pull({ repo: "none", project: "acme/none" }),
    },
    "pull requests of no repository, which may be": {
      ...numbered,
      generator: pull({ repo: "none", project: "acme/none" }, { continueOnRepoNotFoundError: true }),
    },
  };
}

const providers: Readonly<Record<string, Record<string, Case>>> = {
  github: casesOf("github", { organization: "acme" }, { owner: "acme", repo: "web" }),
  gitlab: casesOf("gitlab", { group: "acme" }, { project: "acme/web" }),
  gitea: casesOf("gitea", { owner: "acme" }, { owner: "acme", repo: "web" }),
};

function setOf(url: string, { name, path, generator, goTemplate = false }: Case): Manifest {
  const text = JSON.stringify(sketchSet({ name, path }, { goTemplate, generators: [generator] }));
  return JSON.parse(text.replaceAll('"URL"', JSON.stringify(url)));
}

const shown = (applications: readonly unknown[] | undefined) =>
  applications
    ?.map((one) => {
      const { metadata, spec } = isRecord(one) ? one : {};
      const source = isRecord(spec) && isRecord(spec.source) ? spec.source : {};
      return [isRecord(metadata) ? metadata.name : undefined, source.path];
    })
    .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));

for (const [provider, cases] of Object.entries(providers))
  for (const [name, one] of Object.entries(cases))
    test(`${provider}: ${name}: as the real one`, { skip }, async () => {
      const set = setOf(servers[provider]?.url ?? "", one);
      assert.deepEqual(shown(await generatedByOurs(world, set)), shown(await generatedByReal(argo, set)));
    });
