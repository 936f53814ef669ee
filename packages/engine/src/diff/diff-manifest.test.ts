import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManagedFieldsEntry, Manifest, ResourceIgnoreDifferences } from "@capstan/model";
import fc from "fast-check";
import { diffManifest } from "./diff-manifest.ts";
import { type DiffRules, defaultDiffRules } from "./diff-rules.ts";

type Fields = { [field: string]: unknown };

const object = (fields: Fields, metadata: Manifest["metadata"] = {}): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", ...metadata },
  ...fields,
});

const applied = (fieldsV1: Fields, manager = "argocd-controller"): ManagedFieldsEntry => ({
  manager,
  operation: "Apply",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1,
});

interface Fact {
  name: string;
  target: Manifest;
  live: Manifest;
  verdict: "same" | "modified" | "doubt";
  paths?: string[];
  rules?: Partial<DiffRules>;
}

function check({ name, target, live, verdict, paths, rules }: Fact): void {
  test(name, () => {
    const result = diffManifest(target, live, { ...defaultDiffRules, ...rules });
    assert.equal(result.verdict, verdict, JSON.stringify(result.fields));
    if (paths !== undefined)
      assert.deepEqual(
        result.fields.map(({ path }) => path),
        paths,
      );
  });
}

const containers = (...items: Fields[]): Fields => ({ spec: { template: { spec: { containers: items } } } });
const webContainer = { name: "web", image: "shop:1" };
const ownedContainer = {
  "f:spec": {
    "f:template": {
      "f:spec": {
        "f:containers": {
          'k:{"name":"web"}': { ".": {}, "f:name": {}, "f:image": {} },
        },
      },
    },
  },
};

const facts: Fact[] = [
  {
    name: "fields that the server fills in are no difference",
    target: object({ spec: { replicas: 2 } }),
    live: object(
      { spec: { replicas: 2, revisionHistoryLimit: 10 }, status: { replicas: 2 } },
      { uid: "u", resourceVersion: "7", generation: 3, creationTimestamp: "2026-01-01T00:00:00Z" },
    ),
    verdict: "same",
  },
  {
    name: "another value is a difference that names its path",
    target: object({ spec: { replicas: 2 } }),
    live: object({ spec: { replicas: 3 } }),
    verdict: "modified",
    paths: ["spec.replicas"],
  },
  {
    name: "an annotation with a slash in its key is named in brackets",
    target: object({}, { annotations: { "example.com/a": "1" } }),
    live: object({}, { annotations: {} }),
    verdict: "modified",
    paths: ['metadata.annotations["example.com/a"]'],
  },
  {
    name: "an annotation that somebody else added is no difference",
    target: object({}, { annotations: { a: "1" } }),
    live: object({}, { annotations: { a: "1", b: "2" } }),
    verdict: "same",
  },
  {
    name: "a label that we set and no longer want is a difference",
    target: object({}, { labels: { a: "1" } }),
    live: object(
      {},
      {
        labels: { a: "1", b: "2" },
        managedFields: [applied({ "f:metadata": { "f:labels": { "f:a": {}, "f:b": {} } } })],
      },
    ),
    verdict: "modified",
    paths: ["metadata.labels.b"],
  },
  {
    name: "a label that another manager wants too stays, and is no difference",
    target: object({}, { labels: { a: "1" } }),
    live: object(
      {},
      {
        labels: { a: "1", b: "2" },
        managedFields: [
          applied({ "f:metadata": { "f:labels": { "f:a": {}, "f:b": {} } } }),
          applied({ "f:metadata": { "f:labels": { "f:b": {} } } }, "someone"),
        ],
      },
    ),
    verdict: "same",
  },
  {
    name: "a field that we set and no longer want may have a default: only the server knows",
    target: object({ spec: {} }),
    live: object({ spec: { replicas: 1 } }, { managedFields: [applied({ "f:spec": { "f:replicas": {} } })] }),
    verdict: "doubt",
    paths: ["spec.replicas"],
  },
  {
    name: "what a client-side apply set is ours",
    target: object({}, { annotations: {}, labels: {} }),
    live: object(
      {},
      {
        labels: { old: "1" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"old":"1"}}}',
        },
      },
    ),
    verdict: "modified",
    paths: ["metadata.labels.old"],
  },
  {
    name: "what came along with a client-side apply of ours, as by a webhook, is nothing that it set",
    target: object({}, { labels: { a: "1" } }),
    live: object(
      {},
      {
        labels: { a: "1", injected: "1" },
        annotations: {
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"a":"1"}}}',
        },
        managedFields: [
          {
            ...applied({ "f:metadata": { "f:labels": { ".": {}, "f:a": {}, "f:injected": {} } } }),
            operation: "Update",
          },
        ],
      },
    ),
    verdict: "same",
  },
  {
    name: "an item of a keyed list is compared with its namesake, wherever it stands",
    target: object(containers(webContainer)),
    live: object(
      containers({ name: "sidecar", image: "mesh:2" }, { ...webContainer, imagePullPolicy: "Always" }),
      {
        managedFields: [applied(ownedContainer)],
      },
    ),
    verdict: "same",
  },
  {
    name: "a difference within a keyed item names the item",
    target: object(containers({ ...webContainer, image: "shop:2" })),
    live: object(containers(webContainer), { managedFields: [applied(ownedContainer)] }),
    verdict: "modified",
    paths: ["spec.template.spec.containers[name=web].image"],
  },
  {
    name: "an item that we added and no longer want is a difference",
    target: object(containers({ name: "other", image: "a" })),
    live: object(containers(webContainer, { name: "other", image: "a" }), {
      managedFields: [applied(ownedContainer)],
    }),
    verdict: "modified",
    paths: ["spec.template.spec.containers[name=web]"],
  },
  {
    name: "a field more in an item of an atomic list may be a default or a leftover",
    target: object({ spec: { rules: [{ host: "a" }] } }),
    live: object({ spec: { rules: [{ host: "a", port: 80 }] } }),
    verdict: "doubt",
  },
  {
    name: "a default that is always the same is no leftover",
    target: object({ spec: { ports: [{ port: 80 }], fieldRef: { fieldPath: "a" } } }),
    live: object(
      { spec: { ports: [{ port: 80, protocol: "TCP" }], fieldRef: { apiVersion: "v1", fieldPath: "a" } } },
      { managedFields: [applied({ "f:spec": { "f:ports": {}, "f:fieldRef": {} } })] },
    ),
    verdict: "same",
  },
  {
    name: "a key more in a selector, which is replaced as a whole, is a difference",
    target: object({ spec: { selector: { app: "a" } } }),
    live: object(
      { spec: { selector: { app: "a", tier: "b" } } },
      { managedFields: [applied({ "f:spec": { "f:selector": {} } })] },
    ),
    verdict: "modified",
    paths: ["spec.selector"],
  },
  {
    name: "an emptied list may have a default",
    target: object({ spec: { metrics: [] } }),
    live: object({ spec: { metrics: [{ type: "Resource" }] } }),
    verdict: "doubt",
  },
  {
    name: "an empty value that left its trace was dropped by the server",
    target: object({ spec: { hostNetwork: false } }),
    live: object(
      { spec: {} },
      { managedFields: [applied({ "f:spec": { "f:hostNetwork": {}, "f:a": {} } })] },
    ),
    verdict: "same",
  },
  {
    name: "an empty value without a trace was taken away by somebody",
    target: object({ spec: { automount: false } }),
    live: object({ spec: {} }, { managedFields: [applied({ "f:spec": { "f:a": {} } })] }),
    verdict: "doubt",
  },
  {
    name: "finalizers that we set and no longer want are a difference",
    target: object({}),
    live: object(
      {},
      { finalizers: ["a"], managedFields: [applied({ "f:metadata": { "f:finalizers": { 'v:"a"': {} } } })] },
    ),
    verdict: "modified",
    paths: ["metadata.finalizers"],
  },
  {
    name: "an atomic list of another length is a difference",
    target: object({ spec: { args: ["a"] } }),
    live: object({ spec: { args: ["a", "b"] } }),
    verdict: "modified",
  },
  {
    name: "members that others add to a set are no difference",
    target: object({}, { finalizers: ["a"] }),
    live: object(
      {},
      {
        finalizers: ["b", "a"],
        managedFields: [applied({ "f:metadata": { "f:finalizers": { 'v:"a"': {} } } })],
      },
    ),
    verdict: "same",
  },
  {
    name: "quantities compare by what they amount to",
    target: object(containers({ name: "web", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } })),
    live: object(containers({ name: "web", resources: { limits: { cpu: "1", memory: "1Gi" } } })),
    verdict: "same",
  },
  {
    name: "texts that happen to be quantities elsewhere are texts",
    target: object({ spec: { note: "1000m" } }),
    live: object({ spec: { note: "1" } }),
    verdict: "modified",
  },
  {
    name: "empty values that a built-in kind drops are no difference",
    target: object({
      spec: { paused: false, template: { metadata: { creationTimestamp: null, labels: {} } } },
    }),
    live: object({ spec: { template: { metadata: {} } } }),
    verdict: "same",
  },
  {
    name: "empty values of a custom kind are kept by the server, so that their absence is a difference",
    target: { ...object({ spec: { enabled: false } }), apiVersion: "example.com/v1", kind: "Widget" },
    live: { ...object({ spec: {} }), apiVersion: "example.com/v1", kind: "Widget" },
    verdict: "modified",
  },
  {
    name: "status does not count",
    target: object({ status: { replicas: 1 } }),
    live: object({ status: { replicas: 2 } }),
    verdict: "same",
  },
  {
    name: "status counts where the settings say so",
    target: object({ status: { replicas: 1 } }),
    live: object({ status: { replicas: 2 } }),
    verdict: "modified",
    rules: { ignoreStatus: "none" },
  },
  {
    name: "another version of the kind may call fields differently",
    target: { ...object({}), apiVersion: "apps/v1beta1" },
    live: object({}),
    verdict: "doubt",
  },
];
facts.forEach(check);

const ignoring = (rule: Partial<ResourceIgnoreDifferences>): Partial<DiffRules> => ({
  ignoreDifferences: [{ group: "apps", kind: "Deployment", ...rule }],
});

const scaled = { target: object({ spec: { replicas: 1 } }), live: object({ spec: { replicas: 5 } }) };

const ignoreFacts: Fact[] = [
  {
    name: "an ignored pointer",
    ...scaled,
    verdict: "same",
    rules: ignoring({ jsonPointers: ["/spec/replicas"] }),
  },
  {
    name: "a pointer for another name does not apply",
    ...scaled,
    verdict: "modified",
    rules: ignoring({ name: "other", jsonPointers: ["/spec/replicas"] }),
  },
  {
    name: "group and kind are globs",
    ...scaled,
    verdict: "same",
    rules: { ignoreDifferences: [{ group: "*", kind: "Deploy*", jsonPointers: ["/spec/replicas"] }] },
  },
  {
    name: "an escaped pointer",
    target: object({}, { annotations: { "a/b~c": "1" } }),
    live: object({}, { annotations: { "a/b~c": "2" } }),
    verdict: "same",
    rules: ignoring({ jsonPointers: ["/metadata/annotations/a~1b~0c"] }),
  },
  {
    name: "a list index",
    target: object({ spec: { args: ["a", "b"] } }),
    live: object({ spec: { args: ["a", "c"] } }),
    verdict: "same",
    rules: ignoring({ jsonPointers: ["/spec/args/1"] }),
  },
  {
    name: "a pointer that leads nowhere",
    ...scaled,
    verdict: "modified",
    rules: ignoring({ jsonPointers: ["/spec/nothing/0", "/metadata/labels/a"] }),
  },
  {
    name: "jq expressions by the function that is given",
    ...scaled,
    verdict: "same",
    rules: {
      ...ignoring({ jqPathExpressions: [".spec.replicas"] }),
      deleteByJq: (manifest) => ({ ...manifest, spec: {} }),
    },
  },
  {
    name: "fields of a manager that does not count",
    target: object({ spec: { replicas: 1 } }),
    live: object(
      { spec: { replicas: 5 } },
      { managedFields: [applied({ "f:spec": { "f:replicas": {} } }, "autoscaler")] },
    ),
    verdict: "same",
    rules: ignoring({ managedFieldsManagers: ["autoscaler"] }),
  },
  {
    name: "a manager that made a map does not take in what it holds of others",
    target: object({ spec: { replicas: 1 } }),
    live: object(
      { spec: { replicas: 5 } },
      {
        managedFields: [
          applied({ "f:spec": { ".": {} } }, "autoscaler"),
          applied({ "f:spec": { "f:replicas": {} } }),
        ],
      },
    ),
    verdict: "modified",
    rules: ignoring({ managedFieldsManagers: ["autoscaler"] }),
  },
];
for (const fact of ignoreFacts) check({ ...fact, name: `ignoreDifferences: ${fact.name}` });

const secret = (fields: Fields): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  ...fields,
});

check({
  name: "stringData is what the server makes of it",
  target: secret({ stringData: { password: "hunter2" } }),
  live: secret({ data: { password: "aHVudGVyMg==" }, type: "Opaque" }),
  verdict: "same",
});

check({
  name: "line ends in base64 make no difference",
  target: secret({ data: { password: "aHVu\ndGVyMg==\n" } }),
  live: secret({ data: { password: "aHVudGVyMg==" } }),
  verdict: "same",
});

const role = (fields: Fields): Manifest => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "r" },
  ...fields,
});

check({
  name: "no rules and an empty list of them",
  target: role({ rules: [] }),
  live: role({ rules: null }),
  verdict: "same",
});

check({
  name: "rules of an aggregated role are its controller's, where the settings say so",
  target: role({ aggregationRule: {}, rules: [] }),
  live: role({ aggregationRule: {}, rules: [{ verbs: ["get"] }] }),
  verdict: "same",
  rules: { ignoreAggregatedRoles: true },
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const tree = fc.letrec<{ node: unknown; fields: Fields }>((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie("fields")),
  fields: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("node"), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}));

test("an object is the same as itself, with whatever the server adds beside", () => {
  fc.assert(
    fc.property(tree.fields, (spec) => {
      const target = object({ spec });
      const live = object({ spec, extra: { a: 1 } }, { uid: "u", managedFields: [] });
      assert.equal(diffManifest(target, live, defaultDiffRules).verdict, "same");
    }),
    { numRuns: 200 },
  );
});

test("a scalar that changes anywhere is found", () => {
  fc.assert(
    fc.property(tree.fields, fc.stringMatching(/^[a-z]{7,9}$/), (spec, name) => {
      const target = object({ spec: { ...spec, [name]: { deep: ["x", { y: 1 }] } } });
      const live = object({ spec: { ...spec, [name]: { deep: ["x", { y: 2 }] } } });
      assert.equal(diffManifest(target, live, defaultDiffRules).verdict, "modified");
    }),
    { numRuns: 100 },
  );
});
