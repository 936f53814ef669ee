import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSpec } from "@capstan/model";
import { type AppFlagValues, applyAppFlags } from "./apply-app-flags.ts";
import { isAboutSource, saysSomething, warnBesideHydration } from "./source-flags.ts";

const empty: ApplicationSpec = { project: "default", destination: {} };
const web: ApplicationSpec = {
  project: "default",
  source: {
    repoURL: "https://git.example/a",
    path: "web",
    helm: { parameters: [{ name: "a", value: "1" }] },
  },
  destination: { server: "https://kubernetes.default.svc", namespace: "web" },
  syncPolicy: { automated: { selfHeal: true }, syncOptions: ["CreateNamespace=true"] },
};

const cases: [string, ApplicationSpec, AppFlagValues, ApplicationSpec][] = [
  [
    "a new one",
    empty,
    { repo: "https://git.example/a", path: "x", "dest-name": "in-cluster", "dest-namespace": "x" },
    {
      project: "default",
      source: { repoURL: "https://git.example/a", path: "x" },
      destination: { name: "in-cluster", namespace: "x" },
    },
  ],
  [
    "a destination by name takes the place of one by address",
    web,
    { "dest-name": "other" },
    { ...web, destination: { name: "other", namespace: "web" } },
  ],
  [
    "parameters of the same name are replaced, others stay",
    web,
    { "helm-set": ["a=2"], "helm-set-string": ["b=3"] },
    {
      ...web,
      source: {
        ...web.source,
        repoURL: "https://git.example/a",
        helm: {
          parameters: [
            { name: "a", value: "2" },
            { name: "b", value: "3", forceString: true },
          ],
        },
      },
    },
  ],
  [
    "automated sync can be switched off, options stay",
    web,
    { "sync-policy": "none" },
    { ...web, syncPolicy: { syncOptions: ["CreateNamespace=true"] } },
  ],
  [
    "options are set, changed and removed",
    web,
    { "sync-option": ["Prune=false", "!CreateNamespace=true"] },
    { ...web, syncPolicy: { automated: { selfHeal: true }, syncOptions: ["Prune=false"] } },
  ],
  [
    "options with commas between them are several",
    web,
    { "sync-option": ["ApplyOutOfSyncOnly=true,ServerSideApply=true"] },
    {
      ...web,
      syncPolicy: {
        automated: { selfHeal: true },
        syncOptions: ["CreateNamespace=true", "ApplyOutOfSyncOnly=true", "ServerSideApply=true"],
      },
    },
  ],
  [
    "a plugin with variables",
    empty,
    {
      repo: "https://git.example/a",
      path: "x",
      "config-management-plugin": "mine",
      "plugin-env": ["A=1", "B=x=y"],
    },
    {
      ...empty,
      source: {
        repoURL: "https://git.example/a",
        path: "x",
        plugin: {
          name: "mine",
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "x=y" },
          ],
        },
      },
    },
  ],
  [
    "a map of a plugin keeps its other entries, a list is given whole",
    {
      ...empty,
      source: {
        repoURL: "r",
        plugin: {
          parameters: [
            { name: "m", map: { a: "1", b: "2" } },
            { name: "l", array: ["x"] },
          ],
        },
      },
    },
    { "plugin-parameter": ["m[b]=3", "m[c]=4", "l[]=y", "l[]=z", "stage/s=5"] },
    {
      ...empty,
      source: {
        repoURL: "r",
        plugin: {
          parameters: [
            { name: "m", map: { a: "1", b: "3", c: "4" } },
            { name: "l", array: ["y", "z"] },
            { name: "stage/s", string: "5" },
          ],
        },
      },
    },
  ],
  [
    "another tag of the same image",
    { ...empty, source: { repoURL: "r", path: "x", kustomize: { images: ["nginx:1", "old=new:2"] } } },
    { "kustomize-image": ["nginx:2"] },
    { ...empty, source: { repoURL: "r", path: "x", kustomize: { images: ["old=new:2", "nginx:2"] } } },
  ],
];

for (const [name, spec, flags, expected] of cases) {
  test(name, async () => {
    assert.deepEqual(await applyAppFlags(spec, flags), expected);
  });
}

test("one of several sources is changed", async () => {
  const sources = [
    { repoURL: "a", path: "x" },
    { repoURL: "b", path: "y" },
  ];
  const { sources: changed } = await applyAppFlags({ ...empty, sources }, { revision: "v2" }, 1);
  assert.deepEqual(changed, [sources[0], { repoURL: "b", path: "y", targetRevision: "v2" }]);
});

test("pruning without automated sync is a mistake", async () => {
  await assert.rejects(applyAppFlags(empty, { "auto-prune": true }), /need --sync-policy automated/);
});

test("a flag that says nothing beside those of hydration is named, and so is one that is of no source", () => {
  const said: string[] = [];
  const io = { err: (text: string) => void said.push(text) };
  warnBesideHydration(io, { repo: "https://git.example/a", path: "web", project: "team" });
  assert.deepEqual(said, []);
  const flags = {
    "dry-source-path": "a",
    path: "web",
    "helm-set": ["a=b"],
    project: "team",
    validate: false,
  };
  warnBesideHydration(io, flags);
  assert.deepEqual(said, ["warning: without effect beside --dry-source-path: --path, --helm-set\n"]);
  const others = Object.keys(flags).filter((flag) => saysSomething(flag) && !isAboutSource(flag));
  assert.deepEqual(others, ["dry-source-path", "project"]);
});
