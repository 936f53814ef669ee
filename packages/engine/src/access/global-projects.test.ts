import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppProject } from "@capstan/model";
import { globalProjectsOf, sharedRules, withGlobalProjects } from "./global-projects.ts";

const project = (
  name: string,
  spec: AppProject["spec"],
  labels: Record<string, string> = {},
): AppProject => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name, labels },
  spec,
});
const globals = (...all: AppProject[]) => ({
  globalProjects: [
    { projectName: "all", labelSelector: {} },
    { projectName: "prod", labelSelector: { matchLabels: { tier: "prod" } } },
    { projectName: "gone", labelSelector: {} },
  ],
  projectOf: (name: string) => all.find(({ metadata }) => metadata.name === name),
});
const window = { kind: "deny" as const, schedule: "* * * * *", duration: "1h", applications: ["*"] };

test("a project gets the rules of the global ones that choose it, after its own", () => {
  const account = (namespace: string) => ({ server: "*", namespace, defaultServiceAccount: "sa" });
  const all = project("all", { sourceRepos: ["shared"], description: "of all", roles: [{ name: "r" }] });
  const prod = project("prod", {
    syncWindows: [window],
    namespaceResourceWhitelist: [{ group: "apps", kind: "Deployment" }],
    permitOnlyProjectScopedClusters: true,
    destinationServiceAccounts: [account("*")],
  });
  const accounts = [account("shop")];
  const ownSpec = { sourceRepos: ["own"], description: "mine", destinationServiceAccounts: accounts };
  const own = project("shop", ownSpec, { tier: "prod" });
  const { spec } = withGlobalProjects(own, globals(all, prod));
  assert.deepEqual(spec, {
    sourceRepos: ["own", "shared"],
    description: "mine",
    syncWindows: [window],
    namespaceResourceWhitelist: [{ group: "apps", kind: "Deployment" }],
    destinationServiceAccounts: [account("shop"), account("*")],
  });
  assert.deepEqual(own.spec.sourceRepos, ["own"]);
  assert.deepEqual(sharedRules(all), { sourceRepos: ["shared"] });
});

test("whoever is not chosen, a global project for itself, and one without any stay as they are", () => {
  const all = project("all", { namespaceResourceWhitelist: [] });
  const prod = project("prod", { syncWindows: [window] });
  for (const own of [project("shop", {}, { tier: "test" }), all]) {
    const { spec } = withGlobalProjects(own, globals(all, prod));
    assert.deepEqual(spec, own.spec);
  }
  assert.deepEqual(globalProjectsOf(all, globals(all, prod)), []);
  const alone = project("shop", {});
  assert.equal(withGlobalProjects(alone, { globalProjects: [], projectOf: () => prod }), alone);
});

test("the merged project is the same object until one of its parts is another", () => {
  const own = project("shop", {}, { tier: "prod" });
  const prod = project("prod", { syncWindows: [window] });
  const merged = withGlobalProjects(own, globals(prod));
  assert.equal(withGlobalProjects(own, globals(prod)), merged);
  const changed = withGlobalProjects(own, globals(project("prod", { sourceRepos: ["*"] })));
  assert.deepEqual(changed.spec, { sourceRepos: ["*"] });
});
