import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, AppProject } from "@capstan/model";
import { type BlockerInput, blockersOf } from "./blockers.ts";

const apiVersion = "argoproj.io/v1alpha1";

function application(spec: Partial<Application["spec"]> = {}, rest: Partial<Application> = {}): Application {
  return {
    apiVersion,
    kind: "Application",
    metadata: { name: "web" },
    spec: {
      project: "team",
      source: { repoURL: "https://git.example/web", path: "." },
      destination: { server: "https://kubernetes.default.svc", namespace: "web" },
      ...spec,
    },
    ...rest,
  };
}

const project = (
  spec: AppProject["spec"],
  name = "team",
  labels: Record<string, string> = {},
): AppProject => ({
  apiVersion,
  kind: "AppProject",
  metadata: { name, labels },
  spec,
});

const calm: BlockerInput["settings"] = { unreadable: [] };
const chart = { repoURL: "https://charts.example", chart: "web", targetRevision: "1.0.0" };
const window = { kind: "deny" as const, schedule: "0 0 * * *", duration: "1h", applications: ["*"] };
const strict = {
  git: { policies: [{ repos: [{ url: "*" }], gpg: { mode: "strict" as const, keys: ["A"] } }] },
};

const facts: [string, Partial<BlockerInput>, RegExp | undefined, boolean?][] = [
  ["nothing is set", {}, undefined],
  ["keys", { project: project({ signatureKeys: [{ keyID: "A" }] }) }, /spec\.signatureKeys is not honoured/],
  ["no keys", { project: project({ signatureKeys: [] }) }, undefined],
  ["a policy", { project: project({ sourceIntegrity: strict }) }, /sourceIntegrity\.git is not honoured/],
  [
    "a policy that verifies nothing",
    { project: project({ sourceIntegrity: { git: { policies: [{ repos: [], gpg: { mode: "none" } }] } } }) },
    undefined,
  ],
  [
    "keys, and only a chart",
    { app: application({ source: chart }), project: project({ signatureKeys: [{ keyID: "A" }] }) },
    undefined,
  ],
  [
    "keys, a chart, and an operation that names a git source",
    {
      app: application(
        { source: chart },
        { operation: { sync: { source: { repoURL: "https://git.example/x", path: "." } } } },
      ),
      project: project({ signatureKeys: [{ keyID: "A" }] }),
    },
    /signatureKeys/,
  ],
  [
    "keys, a chart, and an operation with manifests of its own",
    {
      app: application({ source: chart }, { operation: { sync: { manifests: ["{}"] } } }),
      project: project({ signatureKeys: [{ keyID: "A" }] }),
    },
    /signatureKeys/,
  ],
  [
    "a cluster that is to be left alone",
    { clusterMarks: { "argocd.argoproj.io/skip-reconcile": "true" } },
    /Secret of its cluster has the annotation/,
  ],
  [
    "a hydrator",
    {
      app: application({
        sourceHydrator: {
          drySource: { repoURL: "https://git.example/dry", targetRevision: "main", path: "." },
          syncSource: { targetBranch: "env/prod", path: "web" },
        },
      }),
    },
    /spec\.sourceHydrator is not honoured/,
    false,
  ],
  [
    "a window in an unknown zone",
    { project: project({ syncWindows: [{ ...window, timeZone: "Mars/Olympus" }] }) },
    /time zone "Mars\/Olympus" is not known/,
    false,
  ],
  [
    "a window of another application in an unknown zone",
    { project: project({ syncWindows: [{ ...window, applications: ["x"], timeZone: "Mars/Olympus" }] }) },
    undefined,
  ],
  [
    "a setting that was never read",
    {
      settings: {
        ...calm,
        unreadable: [
          { where: "ConfigMap argocd-cm", field: "resource.exclusions", problem: "is bad", isKept: false },
        ],
      },
    },
    /resource\.exclusions is bad/,
  ],
  [
    "a setting whose last value is kept",
    { settings: { ...calm, unreadable: [{ where: "x", field: "y", problem: "is bad", isKept: true }] } },
    undefined,
  ],
];

for (const [fact, change, message, holdsDeletion = true] of facts) {
  test(`what keeps an application from being synced: ${fact}`, () => {
    const blockers = blockersOf({
      app: application(),
      project: project({}),
      settings: calm,
      ...change,
    });
    const texts = blockers.map((blocker) => blocker.message).join("\n");
    if (message === undefined) assert.equal(texts, "");
    else assert.match(texts, message);
    for (const blocker of blockers) assert.equal(blocker.holdsDeletion, holdsDeletion);
  });
}
