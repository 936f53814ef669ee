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
const window = { kind: "deny" as const, schedule: "0 0 * * *", duration: "1h", applications: ["*"] };

const facts: [string, Partial<BlockerInput>, RegExp | undefined, boolean?][] = [
  ["nothing is set", {}, undefined],
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
