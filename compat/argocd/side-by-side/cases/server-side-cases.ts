import type { Manifest } from "@capstan/model";
import { type Case, deployment, map, options, service } from "../case.ts";

const files = (...objects: object[]) => ({ "app/all.yaml": objects });
const key = "argocd.argoproj.io/compare-options";
const apiVersion = "admissionregistration.k8s.io/v1";
const serverSide = ["ServerSideApply=true"];
const sync = (syncOptions: readonly string[] = serverSide) => ({ sync: { syncOptions } });
const patched = (name: string, body: Readonly<Record<string, unknown>>) => ({
  patch: { apiVersion: "v1", kind: "ConfigMap", name },
  body,
});

/** Comparing by the server, of objects that are applied server-side where nothing else is said. */
function compared(name: string, one: Omit<Case, "name">, more = ""): Case {
  const spec = { syncPolicy: { syncOptions: serverSide } };
  return { name, spec, annotations: { [key]: `ServerSideDiff=true${more}` }, ...one };
}

/** A policy for ConfigMaps of the case's namespace, from the start. */
function policy(name: string, kind: "Mutating" | "Validating", spec: object): Manifest[] {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": `c-${name}` } };
  const resourceRules = [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
  ];
  const matchConstraints = { namespaceSelector, resourceRules };
  const actions = kind === "Validating" ? { validationActions: ["Deny"] } : {};
  const metadata = { name };
  return [
    {
      apiVersion,
      kind: `${kind}AdmissionPolicy`,
      metadata,
      spec: { failurePolicy: "Fail", matchConstraints, ...spec },
    },
    { apiVersion, kind: `${kind}AdmissionPolicyBinding`, metadata, spec: { policyName: name, ...actions } },
  ];
}

/** Writes that value under that key, whenever a ConfigMap with the label is written. */
const writes = (name: string, under: string, value: string) =>
  policy(name, "Mutating", {
    reinvocationPolicy: "Never",
    matchConditions: [
      { name: "marked", expression: "has(object.metadata.labels) && 'mark' in object.metadata.labels" },
    ],
    mutations: [
      {
        patchType: "JSONPatch",
        jsonPatch: { expression: `[JSONPatch{op: "add", path: "/data/${under}", value: "${value}"}]` },
      },
    ],
  });

const marked = { metadata: { labels: { mark: "x" } } };
const withLabel = { labels: { mark: "x" } };
const denied = (name: string) =>
  policy(name, "Validating", {
    validations: [{ expression: "object.data.key != 'bad'", message: "bad is not allowed" }],
  });

export const serverSideCases: readonly Case[] = [
  compared("ssd-drift", {
    files: files(map("a"), deployment("d"), service("s")),
    steps: [sync(), patched("a", { data: { key: "drifted" } }), sync()],
  }),
  compared("ssd-foreign", {
    files: files(map("a")),
    steps: [sync(), patched("a", { data: { theirs: "1" }, metadata: { labels: { by: "x" } } })],
  }),
  compared("ssd-removed", {
    files: files(map("a", {}, { key: "1", more: "2" }), map("b")),
    steps: [sync(), { commit: files(map("a", {}, { key: "1" })) }, sync()],
  }),
  compared("ssd-new", { files: files(map("a")), steps: [sync(), { commit: files(map("a"), map("b")) }] }),
  compared("ssd-overwritten", {
    files: files(map("a", withLabel)),
    before: writes("ssd-overwritten", "key", "policy"),
    steps: [sync()],
  }),
  compared("ssd-added-later", {
    files: files(map("a")),
    before: writes("ssd-added-later", "added", "policy"),
    steps: [sync(), patched("a", marked), patched("a", { data: { added: null } })],
  }),
  compared(
    "ssd-with-webhooks",
    {
      files: files(map("a")),
      before: writes("ssd-with-webhooks", "added", "policy"),
      steps: [sync(), { commit: files(map("a", withLabel)) }, sync()],
    },
    ",IncludeMutationWebhook=true",
  ),
  compared("ssd-denied", {
    files: files(map("a")),
    before: denied("ssd-denied"),
    steps: [
      sync(),
      { commit: files(map("a", {}, { key: "bad" }), map("b")) },
      sync(),
      { commit: files(map("a", {}, { key: "good" })) },
      sync(),
    ],
  }),
  compared("ssd-immutable", {
    files: files({ ...map("a"), immutable: true }),
    steps: [sync(), { commit: files({ ...map("a", {}, { key: "2" }), immutable: true }) }, sync()],
  }),
  compared("ssd-ignored", {
    files: files(deployment("d")),
    spec: {
      syncPolicy: { syncOptions: serverSide },
      ignoreDifferences: [{ group: "apps", kind: "Deployment", jsonPointers: ["/spec/replicas"] }],
    },
    steps: [
      sync(),
      { patch: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, body: { spec: { replicas: 2 } } },
    ],
  }),
  compared("ssd-unset-default", {
    files: files(service("s", {}, { sessionAffinity: "ClientIP" })),
    steps: [sync(), { commit: files(service("s")) }],
  }),
  compared("ssd-client-side", {
    spec: { syncPolicy: {} },
    files: files(map("a", {}, { key: "1", more: "2" }), deployment("d")),
    steps: [sync([]), patched("a", { data: { key: "drifted" } }), sync([])],
  }),
  compared("ssd-off-again", {
    files: files(map("a", withLabel)),
    before: writes("ssd-off-again", "key", "policy"),
    steps: [sync(), { app: { metadata: { annotations: { [key]: "ServerSideDiff=false" } } } }],
  }),
  compared("ssd-on-an-object", {
    annotations: {},
    files: files(map("a", { ...withLabel, annotations: { [key]: "ServerSideDiff=true" } })),
    before: writes("ssd-on-an-object", "key", "policy"),
    steps: [sync()],
  }),
  compared("ssd-forced", {
    spec: { syncPolicy: {} },
    files: files({ ...map("a", options("Force=true")), immutable: true }),
    steps: [
      sync([]),
      { commit: files({ ...map("a", options("Force=true"), { key: "2" }), immutable: true }) },
      sync([]),
    ],
  }),
];
