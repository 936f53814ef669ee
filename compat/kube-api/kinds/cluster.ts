import type { Kind } from "./kind.ts";

const store = "storage.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:1/x" },
  rules: [
    { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nones"] },
  ],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const webhookInvalid = {
  "bad name": { webhooks: [{ ...webhook, name: "a" }] },
  "no client": { webhooks: [{ ...webhook, clientConfig: {} }] },
  "bad side effects": { webhooks: [{ ...webhook, sideEffects: "Some" }] },
  "no versions": { webhooks: [{ ...webhook, admissionReviewVersions: [] }] },
  "bad policy": { webhooks: [{ ...webhook, failurePolicy: "Foo" }] },
  "plain url": { webhooks: [{ ...webhook, clientConfig: { url: "http://127.0.0.1/x" } }] },
  "long wait": { webhooks: [{ ...webhook, timeoutSeconds: 31 }] },
  "name twice": { webhooks: [webhook, webhook] },
};
const match = {
  resourceRules: [
    { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nones"] },
  ],
};
const crdVersion = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
};

export const clusterKinds: readonly Kind[] = [
  {
    apiVersion: store,
    kind: "StorageClass",
    resource: "storageclasses",
    clusterWide: true,
    content: { provisioner: "example.com/p" },
    change: { allowVolumeExpansion: true },
    undecodable: { parameters: "x" },
    invalid: {
      "no provisioner": { provisioner: "" },
      "bad mode": { volumeBindingMode: "Foo" },
      "bad reclaim": { reclaimPolicy: "Foo" },
    },
    immutable: { provisioner: { provisioner: "example.com/q" }, parameters: { parameters: { a: "b" } } },
  },
  {
    apiVersion: store,
    kind: "CSIDriver",
    resource: "csidrivers",
    clusterWide: true,
    content: { spec: { attachRequired: false } },
    change: { spec: { requiresRepublish: true } },
    undecodable: { spec: { attachRequired: "x" } },
    invalid: { "bad mode": { spec: { volumeLifecycleModes: ["Foo"] } } },
    immutable: { lifecycle: { spec: { volumeLifecycleModes: ["Ephemeral"] } } },
  },
  {
    apiVersion: store,
    kind: "CSINode",
    resource: "csinodes",
    clusterWide: true,
    content: { spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["a"] }] } },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { drivers: "x" } },
    invalid: { "no node": { spec: { drivers: [{ name: "d.example.com", nodeID: "" }] } } },
  },
  {
    apiVersion: store,
    kind: "CSIStorageCapacity",
    resource: "csistoragecapacities",
    content: { storageClassName: "c", capacity: "1Gi" },
    change: { capacity: "2Gi" },
    undecodable: { capacity: {} },
    invalid: { "no class": { storageClassName: "" }, negative: { capacity: "-1" } },
    immutable: { class: { storageClassName: "other" } },
  },
  {
    apiVersion: store,
    kind: "VolumeAttachment",
    resource: "volumeattachments",
    clusterWide: true,
    content: { spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "p" } } },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { source: "x" } },
    invalid: {
      "no node": { spec: { nodeName: "" } },
      "no source": { spec: { source: { persistentVolumeName: null } } },
    },
    immutable: { node: { spec: { nodeName: "m" } } },
    status: { status: { attached: true } },
  },
  {
    apiVersion: store,
    kind: "VolumeAttributesClass",
    resource: "volumeattributesclasses",
    clusterWide: true,
    content: { driverName: "d.example.com", parameters: { a: "b" } },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { parameters: "x" },
    invalid: { "no driver": { driverName: "" }, "no parameters": { parameters: null } },
    immutable: { parameters: { parameters: { a: "c" } } },
  },
  ...["Mutating", "Validating"].map(
    (what): Kind => ({
      apiVersion: admission,
      kind: `${what}WebhookConfiguration`,
      resource: `${what.toLowerCase()}webhookconfigurations`,
      clusterWide: true,
      content: { webhooks: [webhook] },
      change: { webhooks: [{ ...webhook, timeoutSeconds: 5 }] },
      undecodable: { webhooks: "x" },
      invalid: webhookInvalid,
    }),
  ),
  {
    apiVersion: admission,
    kind: "ValidatingAdmissionPolicy",
    resource: "validatingadmissionpolicies",
    clusterWide: true,
    content: { spec: { matchConstraints: match, validations: [{ expression: "true" }] } },
    change: { spec: { validations: [{ expression: "1 == 1", message: "odd" }] } },
    undecodable: { spec: { validations: "x" } },
    invalid: {
      "no constraints": { spec: { matchConstraints: null } },
      "bad policy": { spec: { failurePolicy: "Foo" } },
      "no expression": { spec: { validations: [{ expression: "" }] } },
    },
    status: { status: { observedGeneration: 1 } },
  },
  {
    apiVersion: admission,
    kind: "ValidatingAdmissionPolicyBinding",
    resource: "validatingadmissionpolicybindings",
    clusterWide: true,
    content: { spec: { policyName: "nothing", validationActions: ["Deny"] } },
    change: { spec: { validationActions: ["Warn"] } },
    undecodable: { spec: { validationActions: "x" } },
    invalid: {
      "no policy": { spec: { policyName: "" } },
      "no action": { spec: { validationActions: [] } },
      "bad action": { spec: { validationActions: ["Foo"] } },
      "deny and warn": { spec: { validationActions: ["Deny", "Warn"] } },
    },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    resource: "customresourcedefinitions",
    clusterWide: true,
    objectName: "things.<id>.example.com",
    content: {
      spec: {
        group: "<id>.example.com",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing<id>", listKind: "Thing<id>List" },
        versions: [crdVersion],
      },
    },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { versions: "x" } },
    invalid: {
      "other name": { metadata: { name: "other.<id>.example.com" } },
      "bad scope": { spec: { scope: "Foo" } },
      "no storage": { spec: { versions: [{ ...crdVersion, storage: false }] } },
      "no schema": { spec: { versions: [{ name: "v1", served: true, storage: true }] } },
      "version twice": { spec: { versions: [crdVersion, { ...crdVersion, storage: false }] } },
      "bad version": { spec: { versions: [{ ...crdVersion, name: "V_1" }] } },
      "root is no object": {
        spec: { versions: [{ ...crdVersion, schema: { openAPIV3Schema: { type: "string" } } }] },
      },
      "bad column": {
        spec: {
          versions: [
            { ...crdVersion, additionalPrinterColumns: [{ name: "A", type: "foo", jsonPath: "x" }] },
          ],
        },
      },
    },
    immutable: { scope: { spec: { scope: "Cluster" } }, group: { spec: { group: "other.example.com" } } },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    resource: "apiservices",
    clusterWide: true,
    objectName: "v1.<id>.example.com",
    content: {
      spec: { group: "<id>.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 },
    },
    change: { spec: { versionPriority: 11 } },
    undecodable: { spec: { versionPriority: "x" } },
    invalid: {
      "other name": { spec: { version: "v2" } },
      "priority 0": { spec: { versionPriority: 0 } },
      "group priority over": { spec: { groupPriorityMinimum: 30000 } },
    },
  },
];
