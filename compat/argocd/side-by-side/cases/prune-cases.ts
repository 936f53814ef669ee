import { both, type Case, definition, deployment, hook, job, map, options, wave } from "../case.ts";

const files = (...objects: object[]) => ({ "app/all.yaml": objects });
const sync = (fields: object = {}) => ({ sync: { ...fields } });
const prune = { sync: { prune: true } };
const automated = (more: object = {}) => ({ syncPolicy: { automated: { ...more } } });
const emptied = { commit: { "app/all.yaml": [map("kept")] } };

/** What goes, what stays, and who decides. */
export const pruneCases: readonly Case[] = [
  { name: "prune", files: files(map("kept"), map("gone")), steps: [sync(), emptied, sync(), prune] },
  {
    name: "prune-false",
    files: files(map("kept"), map("gone", options("Prune=false"))),
    steps: [sync(), emptied, prune],
  },
  {
    name: "prune-last",
    files: files(map("kept"), map("gone", options("PruneLast=true")), deployment("d")),
    steps: [sync(), emptied, prune],
  },
  {
    name: "prune-waves",
    files: files(map("kept"), map("x", wave(1)), map("y", wave(2)), map("z", wave(-3))),
    steps: [sync(), emptied, prune],
  },
  {
    name: "prune-confirm",
    files: files(map("kept"), map("gone", options("Prune=confirm"))),
    steps: [sync(), emptied, prune],
    waits: true,
  },
  {
    name: "ignore-extraneous",
    files: files(
      map("kept"),
      map("gone", { annotations: { "argocd.argoproj.io/compare-options": "IgnoreExtraneous" } }),
    ),
    steps: [sync(), emptied],
  },
  {
    name: "delete-false",
    files: files(map("a", options("Delete=false")), map("b", options("Delete=confirm"))),
  },
  {
    name: "automated",
    files: files(map("a")),
    spec: automated(),
    steps: [{ commit: { "app/b.yaml": map("b") } }],
  },
  { name: "automated-no-prune", files: files(map("kept"), map("gone")), spec: automated(), steps: [emptied] },
  {
    name: "automated-prune",
    files: files(map("kept"), map("gone")),
    spec: automated({ prune: true }),
    steps: [emptied],
  },
  {
    name: "automated-wipe",
    files: files(map("a"), map("b")),
    spec: automated({ prune: true }),
    steps: [{ commit: { "app/all.yaml": "" } }],
  },
  {
    name: "automated-allow-empty",
    files: files(map("a"), map("b")),
    spec: automated({ prune: true, allowEmpty: true }),
    steps: [{ commit: { "app/all.yaml": "" } }],
  },
  {
    name: "automated-failing",
    files: files(map("a", {}, { key: 1 }), map("b")),
    spec: {
      syncPolicy: {
        automated: {},
        retry: { limit: 1, backoff: { duration: "1s", factor: 1, maxDuration: "1s" } },
      },
    },
    steps: [{ commit: { "app/c.yaml": map("c") } }],
  },
  {
    name: "self-heal",
    files: files(map("a")),
    spec: automated({ selfHeal: true }),
    steps: [
      { patch: { apiVersion: "v1", kind: "ConfigMap", name: "a" }, body: { data: { key: "other" } } },
      { remove: { apiVersion: "v1", kind: "ConfigMap", name: "a" } },
    ],
  },
  {
    name: "no-self-heal",
    files: files(map("a")),
    spec: automated(),
    steps: [{ patch: { apiVersion: "v1", kind: "ConfigMap", name: "a" }, body: { data: { key: "other" } } }],
  },
  { name: "automated-disabled", files: files(map("a")), spec: automated({ enabled: false }), steps: [] },
  {
    name: "create-namespace",
    files: files(map("a")),
    isNew: true,
    steps: [
      sync(),
      sync({ syncOptions: ["CreateNamespace=true"] }),
      sync({ syncOptions: ["CreateNamespace=true"] }),
    ],
  },
  {
    name: "namespace-metadata",
    files: files(map("a")),
    isNew: true,
    spec: {
      syncPolicy: {
        syncOptions: ["CreateNamespace=true"],
        managedNamespaceMetadata: { labels: { team: "x" }, annotations: { note: "y" } },
      },
    },
    steps: [
      sync({ syncOptions: ["CreateNamespace=true"] }),
      { app: { spec: { syncPolicy: { managedNamespaceMetadata: { labels: { team: "z" } } } } } },
      sync({ syncOptions: ["CreateNamespace=true"] }),
    ],
  },
  {
    name: "replace",
    files: files(map("a", options("Replace=true"))),
    steps: [
      sync(),
      { commit: { "app/all.yaml": [map("a", options("Replace=true"), { other: "b" })] } },
      sync(),
    ],
  },
  {
    name: "force-replace",
    files: files(job("j", options("Force=true,Replace=true"))),
    steps: [
      sync(),
      {
        commit: {
          "app/all.yaml": [
            {
              ...job("j", options("Force=true,Replace=true")),
              spec: {
                backoffLimit: 1,
                template: {
                  spec: {
                    restartPolicy: "Never",
                    containers: [{ name: "other", image: "registry.example/main:2" }],
                  },
                },
              },
            },
          ],
        },
      },
      sync(),
    ],
  },
  {
    name: "immutable",
    files: files(job("j")),
    steps: [
      sync(),
      {
        commit: {
          "app/all.yaml": [
            {
              ...job("j"),
              spec: {
                backoffLimit: 0,
                template: {
                  spec: {
                    restartPolicy: "Never",
                    containers: [{ name: "other", image: "registry.example/main:2" }],
                  },
                },
              },
            },
          ],
        },
      },
      sync(),
    ],
  },
  {
    name: "server-side",
    files: files(map("a"), deployment("d")),
    steps: [sync({ syncOptions: ["ServerSideApply=true"] }), sync()],
  },
  {
    name: "becomes-hook",
    files: files(map("kept"), map("turned")),
    steps: [sync(), { commit: { "app/all.yaml": [map("kept"), map("turned", hook("PostSync"))] } }, prune],
  },
  {
    name: "becomes-object",
    files: files(map("kept"), map("turned", hook("PostSync"))),
    steps: [sync(), { commit: { "app/all.yaml": [map("kept"), map("turned")] } }, sync()],
  },
  {
    name: "hook-before-again",
    files: files(map("a"), job("h", both(hook("PreSync", "BeforeHookCreation")))),
    steps: [sync(), sync()],
  },
  {
    name: "rollback-apply",
    files: files(map("a")),
    steps: [
      sync(),
      { commit: { "app/b.yaml": map("b") } },
      sync(),
      sync({ revision: "main~1", syncStrategy: { apply: {} } }),
    ],
  },
  {
    name: "definition-and-custom",
    files: files(
      definition("gizmos", "Gizmo"),
      { apiVersion: "gizmos.example/v1", kind: "Gizmo", metadata: { name: "g" }, spec: {} },
      map("a"),
    ),
  },
];
