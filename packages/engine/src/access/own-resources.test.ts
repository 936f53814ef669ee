import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject, AppProjectSpec, Repository } from "@capstan/model";
import { type ScopedResources, withOwnResources } from "./own-resources.ts";
import { checkPermissions } from "./project-rules.ts";

const project = (spec: AppProjectSpec = {}): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "team" },
  spec,
});
const settings = (given: Partial<ScopedResources>): ScopedResources => ({
  repositories: [],
  credentialTemplates: [],
  clusters: [],
  ...given,
});

interface Case {
  readonly fact: string;
  readonly given: Partial<ScopedResources>;
  readonly spec?: AppProjectSpec;
  readonly url?: string;
  readonly expected: boolean;
}

const url = "https://x/app";
const own: Repository = { url, project: "team" };
const password = "p";
const sources: Case[] = [
  { fact: "a repository of the project", given: { repositories: [own] }, expected: true },
  { fact: "one of another project", given: { repositories: [{ url, project: "rival" }] }, expected: false },
  { fact: "one of no project", given: { repositories: [{ url }] }, expected: false },
  {
    fact: "a denial",
    given: { repositories: [own] },
    spec: { sourceRepos: ["!https://x/*"] },
    expected: false,
  },
  { fact: "another spelling", given: { repositories: [own] }, url: "https://X:443/app.git", expected: true },
  { fact: "another user in http", given: { repositories: [own] }, url: "https://me@x/app", expected: true },
  { fact: "what is below it", given: { repositories: [own] }, url: "https://x/app/b", expected: false },
  {
    fact: "one that reads like a pattern",
    given: { repositories: [{ url: "https://x/*", project: "team" }] },
    expected: false,
  },
  {
    fact: "one that hides a pattern",
    given: { repositories: [{ url: "https://x/%2a", project: "team" }] },
    expected: false,
  },
  {
    fact: "one that reads like a denial, which permits all else",
    given: { repositories: [{ url: "!https://y/b", project: "team" }] },
    expected: false,
  },
  {
    fact: "one that would be read with everybody's template",
    given: { repositories: [own], credentialTemplates: [{ url: "https://x", password }] },
    expected: false,
  },
  {
    fact: "one with its own password beside everybody's template",
    given: { repositories: [{ ...own, password }], credentialTemplates: [{ url: "https://x", password }] },
    expected: true,
  },
  {
    fact: "one that is read with the project's template",
    given: { repositories: [own], credentialTemplates: [{ url: "https://x", password, project: "team" }] },
    expected: true,
  },
  {
    fact: "one whose address with a user would be read with everybody's template",
    given: { repositories: [{ ...own, password }], credentialTemplates: [{ url: "https://me@x", password }] },
    url: "https://me@x/app",
    expected: false,
  },
  {
    fact: "one whose address with a user is that of everybody's repository",
    given: {
      repositories: [
        { ...own, password },
        { url: "https://me@x/app", password },
      ],
    },
    url: "https://me@x/app",
    expected: false,
  },
];
for (const { fact, given, spec = {}, url: asked = url, expected } of sources) {
  test(`own repositories: ${fact} is ${expected ? "" : "not "}permitted by itself`, () => {
    const destinations = [{ server: "*", namespace: "*" }];
    const inForce = withOwnResources(project({ ...spec, destinations }), settings(given));
    assert.equal(refusals(inForce, { url: asked }).length === 0, expected);
  });
}

const server = "https://k";
const clusters: Case[] = [
  { fact: "a cluster of the project", given: { clusters: [{ server, project: "team" }] }, expected: true },
  { fact: "one of another project", given: { clusters: [{ server, project: "rival" }] }, expected: false },
  { fact: "one of no project", given: { clusters: [{ server }] }, expected: false },
  {
    fact: "one that it has by name alone",
    given: { clusters: [{ server, project: "team", isByName: true }] },
    expected: false,
  },
  {
    fact: "its listed namespace",
    given: { clusters: [{ server, project: "team", namespaces: ["shop"] }] },
    expected: true,
  },
  {
    fact: "a namespace beside those",
    given: { clusters: [{ server, project: "team", namespaces: ["web"] }] },
    expected: false,
  },
  {
    fact: "a denied namespace",
    given: { clusters: [{ server, project: "team" }] },
    spec: { destinations: [{ server: "*", namespace: "!shop" }] },
    expected: false,
  },
  {
    fact: "a server that is a pattern",
    given: { clusters: [{ server: "https://*", project: "team" }] },
    expected: false,
  },
  {
    fact: "a second Secret for everybody's server",
    given: { clusters: [{ server }, { server, project: "team" }] },
    expected: false,
  },
];
for (const { fact, given, spec = {}, expected } of clusters) {
  test(`own clusters: ${fact} is ${expected ? "" : "not "}permitted by itself`, () => {
    const inForce = withOwnResources(project({ ...spec, sourceRepos: ["*"] }), settings(given));
    assert.equal(refusals(inForce, { url }).length === 0, expected);
  });
}

function refusals(inForce: AppProject, asked: { url: string }): unknown[] {
  return checkPermissions({
    project: inForce,
    repositories: [asked.url],
    destination: { server, name: "prod", namespace: "shop" },
    applicationNamespace: "argocd",
    controlNamespace: "argocd",
  });
}

test("the project is the same object until what is its own changes, and is never changed itself", () => {
  const plain = project({ sourceRepos: ["https://y/b"] });
  assert.equal(withOwnResources(plain, settings({ repositories: [{ url }] })), plain);
  const first = withOwnResources(plain, settings({ repositories: [own] }));
  assert.equal(withOwnResources(plain, settings({ repositories: [own, { url: "https://z" }] })), first);
  assert.notEqual(
    withOwnResources(plain, settings({ repositories: [own], clusters: [{ server, project: "team" }] })),
    first,
  );
  assert.deepEqual(plain.spec, { sourceRepos: ["https://y/b"] });
});
