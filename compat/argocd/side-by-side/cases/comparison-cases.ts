import { type Case, deployment, map, nothing, options, service } from "../case.ts";

const files = (...objects: object[]) => ({ "app/all.yaml": objects });
const sync = (fields: object = {}) => ({ sync: { ...fields } });
const scaled = {
  patch: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
  body: { spec: { replicas: 2 } },
};
const annotated = {
  patch: { apiVersion: "v1", kind: "ConfigMap", name: "a" },
  body: { metadata: { annotations: { foreign: "x" }, labels: { foreign: "y" } } },
};
const ignoring = (more: object, syncOptions: string[] = []) => ({
  ignoreDifferences: [{ group: "apps", kind: "Deployment", ...more }],
  ...(syncOptions.length > 0 ? { syncPolicy: { syncOptions } } : {}),
});
const respect = ["RespectIgnoreDifferences=true"];

/** What is compared, refused, warned of. */
export const comparisonCases: readonly Case[] = [
  { name: "drift", files: files(deployment("d")), steps: [sync(), scaled, sync()] },
  { name: "foreign-metadata", files: files(map("a")), steps: [sync(), annotated] },
  {
    name: "ignore-pointer",
    files: files(deployment("d")),
    spec: ignoring({ jsonPointers: ["/spec/replicas"] }),
    steps: [sync(), scaled, sync()],
  },
  {
    name: "ignore-jq",
    files: files(deployment("d")),
    spec: ignoring({ jqPathExpressions: [".spec.replicas"] }),
    steps: [sync(), scaled],
  },
  {
    name: "ignore-bad-jq",
    files: files(deployment("d")),
    spec: ignoring({ jqPathExpressions: [".spec.["] }),
    steps: [],
  },
  {
    name: "ignore-by-name",
    files: files(deployment("d")),
    spec: ignoring({ name: "other", jsonPointers: ["/spec/replicas"] }),
    steps: [sync(), scaled],
  },
  {
    name: "respect-pointer",
    files: files(deployment("d")),
    spec: ignoring({ jsonPointers: ["/spec/replicas"] }, respect),
    steps: [sync({ syncOptions: respect }), scaled, sync({ syncOptions: respect })],
  },
  { name: "repeated", files: files(map("a", {}, { n: "1" }), map("a", {}, { n: "2" })) },
  {
    name: "cluster-scoped-with-namespace",
    files: files({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "c-scoped", namespace: "x" },
      rules: [],
    }),
  },
  {
    name: "no-namespace",
    files: files(map("a")),
    spec: { destination: { server: "https://kubernetes.default.svc" } },
    steps: [sync()],
  },
  { name: "absent-namespace", files: files(map("a", { namespace: "nowhere" })), steps: [sync()] },
  { name: "missing-kind", files: files(nothing("n"), map("a")), steps: [sync()] },
  {
    name: "missing-kind-skipped",
    files: files(nothing("n", options("SkipDryRunOnMissingResource=true")), map("a")),
    steps: [sync()],
  },
  { name: "missing-version", files: files({ ...deployment("d"), apiVersion: "apps/v9" }), steps: [sync()] },
  { name: "not-yaml", files: { "app/a.yaml": "a: [\n" }, steps: [] },
  { name: "not-a-manifest", files: { "app/a.yaml": "a: 1\n" }, steps: [] },
  {
    name: "no-name",
    files: files({ apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: {} }),
    steps: [sync()],
  },
  { name: "absent-path", files: { "other/a.yaml": map("a") }, steps: [] },
  {
    name: "absent-revision",
    files: files(map("a")),
    spec: { source: { targetRevision: "nowhere" } },
    steps: [],
  },
  { name: "absent-project", files: files(map("a")), spec: { project: "nowhere" }, steps: [sync()] },
  {
    name: "unknown-destination",
    files: files(map("a")),
    spec: { destination: { server: "https://nowhere.example", namespace: "x" } },
    steps: [sync()],
  },
  {
    name: "unknown-destination-name",
    files: files(map("a")),
    spec: { destination: { name: "nowhere", namespace: "x" } },
    steps: [sync()],
  },
  {
    name: "forbidden-namespace",
    files: files(map("a")),
    project: { destinations: [{ server: "*", namespace: "other" }] },
    steps: [sync()],
  },
  {
    name: "forbidden-repository",
    files: files(map("a")),
    project: { sourceRepos: ["https://other.example/*"] },
    steps: [sync()],
  },
  {
    name: "forbidden-kind",
    files: files(map("a"), service("s")),
    project: { namespaceResourceBlacklist: [{ group: "", kind: "Service" }] },
    steps: [sync()],
  },
  {
    name: "forbidden-cluster-kind",
    files: files({ apiVersion: "v1", kind: "Namespace", metadata: { name: "c-forbidden-x" } }),
    project: { clusterResourceWhitelist: [] },
    steps: [sync()],
  },
  {
    name: "forbidden-other-namespace",
    files: files(map("a", { namespace: "default" }), map("b")),
    project: { destinations: [{ server: "*", namespace: "c-*" }] },
    steps: [sync()],
  },
  {
    name: "shared",
    files: files(map("a")),
    before: [
      map("a", { annotations: { "argocd.argoproj.io/tracking-id": "another:/ConfigMap:c-shared/a" } }),
    ],
    steps: [sync()],
  },
  {
    name: "shared-refused",
    files: files(map("a")),
    before: [
      map("a", {
        annotations: { "argocd.argoproj.io/tracking-id": "another:/ConfigMap:c-shared-refused/a" },
      }),
    ],
    steps: [sync({ syncOptions: ["FailOnSharedResource=true"] })],
  },
  {
    name: "adopted",
    files: files(map("a")),
    before: [map("a", {}, { key: "former", more: "x" })],
    steps: [sync()],
  },
  {
    name: "window-deny",
    files: files(map("a")),
    project: { syncWindows: [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }] },
    steps: [sync()],
    waits: true,
  },
  {
    name: "window-manual",
    files: files(map("a")),
    project: {
      syncWindows: [
        { kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"], manualSync: true },
      ],
    },
    steps: [sync()],
  },
  {
    name: "window-automated",
    files: files(map("a")),
    project: { syncWindows: [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }] },
    spec: { syncPolicy: { automated: {} } },
    steps: [],
  },
  {
    name: "sources",
    files: { "one/a.yaml": map("a"), "two/b.yaml": map("b") },
    spec: { sources: [{ path: "one" }, { path: "two" }] },
  },
  {
    name: "sources-repeated",
    files: { "one/a.yaml": map("a", {}, { n: "1" }), "two/a.yaml": map("a", {}, { n: "2" }) },
    spec: { sources: [{ path: "one" }, { path: "two" }] },
  },
  {
    name: "recurse",
    files: { "app/a.yaml": map("a"), "app/deep/er/b.yaml": map("b") },
    spec: { source: { directory: { recurse: true } } },
  },
  {
    name: "include-exclude",
    files: { "app/a.yaml": map("a"), "app/b.yaml": map("b"), "app/c.json": map("c") },
    spec: { source: { directory: { include: "{a,b,c}.*", exclude: "b.yaml" } } },
  },
  {
    name: "jsonnet",
    files: {
      "app/a.jsonnet":
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: std.extVar('n')}, data: {x: std.toString(1 + 1)}}",
    },
    spec: { source: { directory: { jsonnet: { extVars: [{ name: "n", value: "made" }] } } } },
  },
  { name: "jsonnet-broken", files: { "app/a.jsonnet": "{a: }" }, steps: [] },
  {
    name: "kustomize",
    files: { "app/kustomization.yaml": "namePrefix: my-\nresources: [a.yaml]\n", "app/a.yaml": map("a") },
  },
  {
    name: "helm",
    files: {
      "app/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
      "app/values.yaml": "key: v\n",
      "app/templates/a.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-a'}\ndata: {key: '{{ .Values.key }}'}\n",
    },
    spec: { source: { helm: { parameters: [{ name: "key", value: "w" }] } } },
  },
  {
    name: "secret",
    files: files({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" } }),
  },
  { name: "list", files: files({ apiVersion: "v1", kind: "List", items: [map("a"), map("b")] }) },
  {
    name: "skip-reconcile",
    files: files(map("a")),
    annotations: { "argocd.argoproj.io/skip-reconcile": "true" },
    steps: [],
  },
  { name: "load-balancer", files: files(service("s", {}, { type: "LoadBalancer" })) },
  {
    name: "finalizer-background",
    files: files(map("a")),
    spec: { revisionHistoryLimit: 1 },
    steps: [sync(), sync()],
  },
];
