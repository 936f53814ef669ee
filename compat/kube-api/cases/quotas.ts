import { type Case, get, type JsonObject, patch, post, put, remove, type Step } from "../script.ts";

const core = "/api/v1/namespaces/<ns>";
const quotas = `${core}/resourcequotas`;
const accountName = "default";

const container = (name: string, requests?: JsonObject, limits?: JsonObject): JsonObject => ({
  name,
  image: "i",
  ...((requests || limits) && { resources: { ...(requests && { requests }), ...(limits && { limits }) } }),
});
const pod = (name: string, containers: readonly JsonObject[], more: JsonObject = {}): Step =>
  post(`${core}/pods`, {
    metadata: { name },
    spec: { serviceAccountName: accountName, containers, ...more },
  });
const one = (name: string, requests?: JsonObject, limits?: JsonObject): Step =>
  pod(name, [container("c", requests, limits)]);
const map = (name: string): Step => post(`${core}/configmaps`, { metadata: { name } });
const secret = (name: string): Step => post(`${core}/secrets`, { metadata: { name } });
const claim = (name: string, storage: string, more: JsonObject = {}): Step =>
  post(`${core}/persistentvolumeclaims`, {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...more },
  });
const service = (name: string, type: string): Step =>
  post(`${core}/services`, {
    metadata: { name },
    spec: { type, ports: [{ port: 80 }, { name: "b", port: 81 }] },
  });

const quota = (hard: JsonObject, more: JsonObject = {}): readonly Step[] => [
  // The certificate that every namespace gets is one of its ConfigMaps.
  { ...get(`${core}/configmaps/kube-root-ca.crt?includeObject=None`, { headers: metadataOnly }), until: 200 },
  post(quotas, { metadata: { name: "q" }, spec: { hard, ...more } }),
  { ...get(`${quotas}/q`), untilText: '"used":' },
];
const metadataOnly = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const used = (resource: string, amount: string): Step => ({
  ...get(`${quotas}/q`),
  untilText: `"used":{"${resource}":"${amount}"`,
});

const quotaSteps: Readonly<Record<string, readonly Step[]>> = {
  "config maps": [...quota({ configmaps: "2" }), map("a"), map("b"), get(`${quotas}/q`)],
  "counted secrets": [
    ...quota({ "count/secrets": "1" }),
    secret("a"),
    secret("b"),
    post(`${core}/secrets?dryRun=All`, { metadata: { name: "c" } }),
  ],
  "counted deployments": [
    ...quota({ "count/deployments.apps": "0" }),
    post("/apis/apps/v1/namespaces/<ns>/deployments", {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [container("c")] } },
      },
    }),
  ],
  "counted custom resources": [
    ...quota({ "count/widgets.compat.example.com": "0" }),
    post("/apis/compat.example.com/v1/namespaces/<ns>/widgets", {
      apiVersion: "compat.example.com/v1",
      kind: "Widget",
      metadata: { name: "w" },
    }),
  ],
  pods: [...quota({ pods: "1" }), one("a"), one("b"), used("pods", "1")],
  cpu: [
    ...quota({ "requests.cpu": "1" }),
    one("a"),
    one("b", { cpu: "600m" }),
    one("c", { cpu: "0.5" }),
    one("d", { cpu: "400m" }),
    get(`${quotas}/q`),
  ],
  "cpu by its short name": [
    ...quota({ cpu: "1", memory: "1Gi" }),
    one("a"),
    one("b", { cpu: "2", memory: "2Gi" }),
  ],
  memory: [
    ...quota({ "limits.memory": "1Gi", "requests.memory": "512Mi" }),
    one("a", { memory: "256Mi" }, { memory: "512Mi" }),
    one("b", { memory: "256Mi" }, { memory: "600Mi" }),
    one("c", { memory: "1Gi" }, { memory: "2Gi" }),
    get(`${quotas}/q`),
  ],
  "not specified": [
    ...quota({ "limits.cpu": "1", "requests.memory": "1Gi" }),
    pod("a", [container("x"), container("y", { memory: "1Mi" })]),
  ],
  "several containers": [
    ...quota({ "requests.cpu": "1" }),
    pod("a", [container("x", { cpu: "300m" }), container("y", { cpu: "300m" })], {
      initContainers: [container("i", { cpu: "900m" })],
    }),
    get(`${quotas}/q`),
  ],
  "best effort": [
    ...quota({ pods: "1" }, { scopes: ["BestEffort"] }),
    one("a", { cpu: "1" }),
    one("b"),
    one("c"),
  ],
  "not best effort": [
    ...quota({ pods: "1" }, { scopes: ["NotBestEffort"] }),
    one("a"),
    one("b", { cpu: "1" }),
    one("c", { cpu: "1" }),
  ],
  terminating: [
    ...quota({ pods: "0" }, { scopes: ["Terminating"] }),
    one("a"),
    pod("b", [container("c")], { activeDeadlineSeconds: 10 }),
  ],
  "priority class": [
    ...quota(
      { pods: "0" },
      {
        scopeSelector: {
          matchExpressions: [
            { scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] },
          ],
        },
      },
    ),
    one("a"),
    pod("b", [container("c")], { priorityClassName: "system-node-critical" }),
  ],
  services: [
    ...quota({ services: "2", "services.nodeports": "2", "services.loadbalancers": "0" }),
    service("a", "NodePort"),
    service("b", "NodePort"),
    service("c", "LoadBalancer"),
    service("d", "ClusterIP"),
    get(`${quotas}/q`),
  ],
  "services that change": [
    ...quota({ "services.nodeports": "1" }),
    service("a", "ClusterIP"),
    patch("merge", `${core}/services/a`, { spec: { type: "NodePort" } }),
  ],
  claims: [
    ...quota({ persistentvolumeclaims: "2", "requests.storage": "3Gi" }),
    claim("a", "2Gi"),
    claim("b", "2Gi"),
    claim("c", "1Gi"),
    claim("d", "1"),
  ],
  "claims of a class": [
    ...quota({ "gold.storageclass.storage.k8s.io/requests.storage": "1Gi" }),
    claim("a", "2Gi"),
    claim("b", "2Gi", { storageClassName: "gold" }),
  ],
  "what goes": [
    ...quota({ configmaps: "2" }),
    map("a"),
    remove(`${core}/configmaps/a`),
    used("configmaps", "1"),
    map("b"),
    map("c"),
  ],
  "higher limits": [
    ...quota({ configmaps: "1" }),
    map("a"),
    patch("merge", `${quotas}/q`, { spec: { hard: { configmaps: "2" } } }),
    { ...get(`${quotas}/q`), untilText: '"status":{"hard":{"configmaps":"2"}' },
    map("b"),
    map("c"),
  ],
  "lower limits": [
    ...quota({ configmaps: "2" }),
    patch("merge", `${quotas}/q`, { spec: { hard: { configmaps: "0" } } }),
    { ...get(`${quotas}/q`), untilText: '"status":{"hard":{"configmaps":"0"}' },
    map("a"),
  ],
  "two quotas": [
    ...quota({ secrets: "1" }),
    post(quotas, { metadata: { name: "r" }, spec: { hard: { configmaps: "1" } } }),
    { ...get(`${quotas}/r`), untilText: '"used":' },
    secret("a"),
    secret("b"),
    map("a"),
  ],
  "name that is taken": [...quota({ secrets: "1" }), secret("a"), secret("a")],
};

const ranges = `${core}/limitranges`;
/** Until admission, which watches, has seen what was written before. */
const tried = (step: Step, until: number): Step => ({
  ...step,
  path: `${step.path}?dryRun=All`,
  until,
});
const range = (...limits: readonly JsonObject[]): readonly Step[] => [
  post(ranges, { metadata: { name: "r" }, spec: { limits } }),
  { ...get(`${ranges}/r`), untilText: '"limits":' },
];
/** kube-apiserver keeps what it has looked up about a namespace for a while. */
const ofContainers = (limit: JsonObject): readonly Step[] => range({ type: "Container", ...limit });

const rangeSteps: Readonly<Record<string, readonly Step[]>> = {
  defaults: [
    ...ofContainers({ default: { cpu: "500m", memory: "100Mi" }, defaultRequest: { cpu: "100m" } }),
    one("a"),
    one("b", { cpu: "200m" }),
    one("c", undefined, { memory: "50Mi" }),
    pod("d", [container("x"), container("y", { cpu: "1m" }, { cpu: "1" })], {
      initContainers: [container("i")],
    }),
  ],
  "default request": [
    ...ofContainers({ defaultRequest: { memory: "10Mi" } }),
    one("a"),
    one("b", undefined, { memory: "5Mi" }),
  ],
  "least of containers": [
    ...ofContainers({ min: { cpu: "50m", memory: "1Mi" } }),
    one("a", { cpu: "10m", memory: "1Mi" }),
    one("b", { cpu: "100m", memory: "1Ki" }, { memory: "2Ki" }),
    one("c", { cpu: "100m", memory: "1Mi" }),
  ],
  "most of containers": [
    ...ofContainers({ max: { cpu: "1" } }),
    one("a", undefined, { cpu: "2" }),
    one("b", { cpu: "500m" }),
    one("c"),
  ],
  ratio: [
    ...ofContainers({ maxLimitRequestRatio: { memory: "4" } }),
    one("a", { memory: "10Mi" }, { memory: "100Mi" }),
    one("b", { memory: "10Mi" }, { memory: "30Mi" }),
    one("c"),
    one("d", { memory: "10Mi" }),
  ],
  "whole pods": [
    ...range({ type: "Pod", max: { cpu: "1" }, min: { memory: "10Mi" } }),
    pod("a", [
      container("x", { memory: "5Mi" }, { cpu: "600m" }),
      container("y", { memory: "6Mi" }, { cpu: "600m" }),
    ]),
    pod("b", [container("x", { memory: "5Mi" }, { cpu: "600m" })]),
    one("c"),
    one("d", { memory: "10Mi" }, { cpu: "1" }),
  ],
  claims: [
    ...range({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
    claim("a", "500Mi"),
    claim("b", "3Gi"),
    claim("c", "1500Mi"),
  ],
  "two ranges": [
    ...ofContainers({ default: { cpu: "2" } }),
    post(ranges, { metadata: { name: "s" }, spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } }),
    tried(one("a"), 403),
    one("a"),
  ],
  "default above the limit": [...ofContainers({ default: { cpu: "500m" } }), one("a", { cpu: "1" })],
  updates: [
    one("a", { cpu: "1" }),
    ...ofContainers({ max: { cpu: "500m" } }),
    patch("merge", `${core}/pods/a`, { metadata: { labels: { a: "b" } } }),
    put(`${ranges}/r`, {
      metadata: { name: "r" },
      spec: { limits: [{ type: "Container", max: { cpu: "2" } }] },
    }),
  ],
};

const casesOf = (area: string, all: Readonly<Record<string, readonly Step[]>>): Case[] =>
  Object.entries(all).map(([title, steps]) => ({ name: `${area}/${title}`, steps }));

export const quotaCases: readonly Case[] = [
  ...casesOf("quota", quotaSteps),
  ...casesOf("limit-range", rangeSteps),
];
