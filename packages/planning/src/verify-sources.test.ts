import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import { type ApplicationSource, argoApiVersion } from "@capstan/model";
import type { ManifestRequest, SignatureRequest } from "@capstan/wire";
import { broughtManifests } from "./brought-manifests.ts";
import { refuseLocalManifests, verifySources } from "./verify-sources.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const keyMap = (data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "argocd-gpg-keys-cm" },
  data,
});
const project = {
  apiVersion: argoApiVersion,
  kind: "AppProject" as const,
  metadata: { name: "team" },
  spec: {
    sourceIntegrity: {
      git: {
        policies: [{ repos: [{ url: "https://git.example/*" }], gpg: { mode: "head", keys: ["A"] } }],
      },
    },
  },
};

interface Given {
  source: ApplicationSource;
  answer: { revision: string; refRevisions?: Record<string, string> };
}

/** What is asked of the repo server, which finds fault with everything, and what comes of it. */
async function verify(
  all: readonly Given[],
  { gpg = "true", uploaded }: { gpg?: string; uploaded?: string } = {},
) {
  const asked: string[] = [];
  const repo = {
    async verifySignatures({ source, revision, keyring, demand }: SignatureRequest) {
      asked.push(`${source.repoURL} ${revision} ${keyring.join()} ${demand.keys.join()}`);
      return [`${revision} is bad`];
    },
  };
  const current = readSettings([keyMap({ A: "a key" })], [], {
    overlay: { "argocd-cmd-params-cm": { "capstan.gpg.enabled": gpg } },
  });
  const rendered = all.map(({ source, answer }) => {
    const request: ManifestRequest = {
      ...{ repository: { url: source.repoURL }, source, appName: "web", namespace: "", project: "team" },
      ...{ kubeVersion: "1.34", apiVersions: [] },
    };
    return { request, answer };
  });
  const problems = await verifySources(
    { repo, settings: { current } },
    { project, uploaded },
    { rendered, signal },
  );
  return { asked, problems };
}

const git = "https://git.example/web";

test("the commit that was rendered is verified, by the name that the source gives it", async () => {
  const { asked, problems } = await verify([
    { source: { repoURL: git, path: "." }, answer: { revision: "1" } },
  ]);
  assert.deepEqual(asked, [`${git} 1 a key A`]);
  assert.deepEqual(problems, ["GIT/GPG: 1 is bad"]);
});

test("a source that lends its files is verified at every commit at which they were read", async () => {
  const { asked, problems } = await verify([
    { source: { repoURL: git, ref: "values" }, answer: { revision: "2" } },
    {
      source: { repoURL: "https://charts.example", chart: "web" },
      answer: { revision: "9", refRevisions: { values: "1" } },
    },
    { source: { repoURL: "https://elsewhere.example/x", path: ".", name: "x" }, answer: { revision: "3" } },
    {
      source: { repoURL: git, path: ".", name: "app" },
      answer: { revision: "2", refRevisions: { values: "2" } },
    },
  ]);
  assert.deepEqual(asked.sort(), [`${git} 1 a key A`, `${git} 2 a key A`, `${git} 2 a key A`]);
  assert.deepEqual(problems, [
    "GIT/GPG: source 1 of 4: 2 is bad",
    "GIT/GPG: source 1 of 4: 1 is bad",
    "GIT/GPG: source app: 2 is bad",
  ]);
});

test("nothing is verified where it is switched off, and of files that a person sends to be compared", async () => {
  const all = [{ source: { repoURL: git, path: "." }, answer: { revision: "1" } }];
  assert.deepEqual((await verify(all, { gpg: "false" })).asked, []);
  assert.deepEqual((await verify(all, { uploaded: "x" })).asked, []);
  assert.deepEqual((await verify(all, { gpg: "what" })).asked.length, 1);
});

test("manifests of a person's own are refused where any source's are to be signed", () => {
  const needs = { settings: { current: readSettings([], []) } };
  const chart = { repoURL: "https://charts.example", chart: "web" };
  refuseLocalManifests(needs, { project, sources: [chart] });
  const sources = [chart, { repoURL: git, path: "." }];
  assert.throws(() => refuseLocalManifests(needs, { project, sources }), /Cannot use local manifests/);
});

test("what a person has synced does not count for a project that demands signatures, nor for other sources", () => {
  const needs = { settings: { current: readSettings([], []) } };
  const source = { repoURL: git, path: "." };
  const status = {
    operationState: {
      operation: { sync: { source, manifests: ["{}"], revision: "1" } },
      phase: "Succeeded" as const,
      startedAt: "2026-01-01T00:00:00Z",
    },
  };
  const app = {
    apiVersion: argoApiVersion,
    kind: "Application" as const,
    metadata: { name: "web" },
    spec: { destination: {}, project: "team", source },
    status,
  };
  const free = { ...project, spec: {} };
  const { startedAt: broughtAt } = status.operationState;
  assert.deepEqual(broughtManifests(needs, { app, project: free }), {
    ...{ broughtAt, manifests: ["{}"], revisions: ["1"] },
  });
  assert.equal(broughtManifests(needs, { app, project }), undefined);
  const moved = { ...app, spec: { ...app.spec, source: { ...source, path: "other" } } };
  assert.equal(broughtManifests(needs, { app: moved, project: free }), undefined);
});
