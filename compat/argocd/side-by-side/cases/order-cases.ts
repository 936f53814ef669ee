import { both, type Case, deployment, hook, job, map, options, service, wave } from "../case.ts";

const files = (...objects: object[]) => ({ "app/all.yaml": objects });
const sync = (fields: object = {}) => ({ sync: { ...fields } });
const failing = {
  spec: { containers: [{ name: "main", image: "registry.example/main:1", command: ["false"] }] },
};

/** A Pod that never becomes anything: nothing runs it to its end. */
const refusedMap = (name: string, metadata: object = {}) => map(name, metadata, { key: 1 });

/** Waves, hooks of each phase and their policies, and what ends an operation. */
export const orderCases: readonly Case[] = [
  { name: "plain", files: files(map("a"), service("b"), deployment("c")) },
  { name: "one-object", files: files(map("a")) },
  { name: "empty", files: { "app/nothing.txt": "nothing" } },
  { name: "waves", files: files(map("a", wave(-1)), deployment("b", wave(0)), map("c", wave(5))) },
  { name: "waves-last-deployment", files: files(map("a", wave(-1)), deployment("b", wave(3))) },
  { name: "presync", files: files(map("a"), job("before", hook("PreSync"))) },
  { name: "postsync", files: files(deployment("a"), job("after", hook("PostSync"))) },
  { name: "sync-hook", files: files(map("a"), job("with", hook("Sync"))) },
  {
    name: "all-phases",
    files: files(
      map("a"),
      job("p", hook("PreSync")),
      job("s", hook("Sync")),
      job("q", hook("PostSync")),
      job("f", hook("SyncFail")),
    ),
  },
  { name: "hook-of-two-phases", files: files(map("a"), job("twice", hook("PreSync,PostSync"))) },
  { name: "hook-skip", files: files(map("a"), map("left", hook("Skip"))) },
  {
    name: "hook-waves",
    files: files(
      map("a"),
      job("h1", both(hook("PreSync"), wave(-2))),
      job("h2", both(hook("PreSync"), wave(3))),
    ),
  },
  { name: "hook-map", files: files(map("a"), map("h", hook("PreSync"))) },
  {
    name: "hook-generate-name",
    files: files(map("a"), {
      ...job("x", hook("PreSync")),
      metadata: { generateName: "made-", ...hook("PreSync") },
    }),
  },
  ...["HookSucceeded", "HookFailed", "BeforeHookCreation", "BeforeHookCreation,HookSucceeded"].flatMap(
    (policy, index): Case[] => [
      {
        name: `policy-${index}`,
        files: files(map("a"), job("h", hook("PreSync", policy))),
        steps: [sync(), sync()],
      },
      {
        name: `policy-map-${index}`,
        files: files(map("a"), map("h", hook("PostSync", policy))),
        steps: [sync(), sync()],
      },
    ],
  ),
  {
    name: "helm-hooks",
    files: files(
      map("a"),
      job("pre", { annotations: { "helm.sh/hook": "pre-install", "helm.sh/hook-weight": "-5" } }),
      job("post", {
        annotations: { "helm.sh/hook": "post-upgrade", "helm.sh/hook-delete-policy": "hook-succeeded" },
      }),
      map("crd", { annotations: { "helm.sh/hook": "crd-install" } }),
      map("tested", { annotations: { "helm.sh/hook": "test" } }),
    ),
  },
  { name: "syncfail-after-refusal", files: files(map("ok"), refusedMap("bad"), job("f", hook("SyncFail"))) },
  { name: "refused-alone", files: files(refusedMap("bad")) },
  { name: "refused-beside", files: files(map("ok"), refusedMap("bad")) },
  {
    name: "refused-in-second-wave",
    files: files(map("ok", wave(-1)), {
      ...deployment("bad", wave(1)),
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "c" } }, ...failing },
      },
    }),
  },
  {
    name: "degraded-first-wave",
    files: files(
      {
        ...job("j", wave(-1)),
        spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", ...failing.spec } } },
      },
      map("z", wave(1)),
    ),
  },
  {
    name: "dry-run",
    files: files(map("a"), deployment("b"), job("p", hook("PreSync"))),
    steps: [sync({ dryRun: true }), sync()],
  },
  {
    name: "apply-strategy",
    files: files(map("a"), job("p", hook("PreSync"))),
    steps: [sync({ syncStrategy: { apply: {} } })],
  },
  {
    name: "hook-strategy-force",
    files: files(map("a")),
    steps: [sync({ syncStrategy: { hook: { force: true } } })],
  },
  {
    name: "selective",
    files: files(map("a"), map("b"), job("p", hook("PreSync"))),
    steps: [sync({ resources: [{ kind: "ConfigMap", name: "b" }] }), sync()],
  },
  {
    name: "selective-nothing",
    files: files(map("a")),
    steps: [sync({ resources: [{ kind: "ConfigMap", name: "absent" }] })],
  },
  {
    name: "retry",
    files: files(refusedMap("bad"), map("ok")),
    steps: [sync({ retry: { limit: 2, backoff: { duration: "1s", factor: 1, maxDuration: "1s" } } })],
  },
  {
    name: "out-of-sync-only",
    files: files(map("a"), map("b"), job("p", hook("PreSync"))),
    spec: { syncPolicy: { syncOptions: ["ApplyOutOfSyncOnly=true"] } },
    steps: [
      sync({ syncOptions: ["ApplyOutOfSyncOnly=true"] }),
      { commit: { "app/b.yaml": map("c") } },
      sync({ syncOptions: ["ApplyOutOfSyncOnly=true"] }),
      sync({ syncOptions: ["ApplyOutOfSyncOnly=true"] }),
    ],
  },
  {
    name: "wave-of-namespace",
    files: files(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "c-wave-of-namespace-x", ...wave(5) } },
      map("in", { namespace: "c-wave-of-namespace-x", ...wave(0) }),
    ),
  },
  { name: "disable-validation", files: files(map("a", options("Validate=false"))) },
];
