import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@bufbuild/protobuf";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AccountSchema } from "../generated/argocd/account_pb.ts";
import { ApplicationDeleteRequestSchema, LogEntrySchema } from "../generated/argocd/application_pb.ts";
import { SettingsSchema } from "../generated/argocd/cluster_pb.ts";
import {
  ApplicationDestinationServiceAccountSchema,
  ApplicationSchema,
  ApplicationTreeSchema,
  BackoffSchema,
  SyncPolicyAutomatedSchema,
} from "../generated/argocd/v1alpha1_pb.ts";
import { jsonOfMessage } from "./json-of-message.ts";
import { firstUnknown, keepUnsaid } from "./keep-unsaid.ts";
import { messageOfJson } from "./message-of-json.ts";

/** What arrives of a JSON value that was sent as a message. */
function sent(desc: GenMessage<Message>, json: unknown): unknown {
  return jsonOfMessage(desc, fromBinary(desc, toBinary(desc, messageOfJson(desc, json))));
}

const application = {
  metadata: {
    name: "shop",
    namespace: "argocd",
    generation: 7,
    creationTimestamp: "2026-01-02T03:04:05Z",
    labels: { team: "a", empty: "" },
    finalizers: ["resources-finalizer.argocd.argoproj.io"],
    ownerReferences: [{ kind: "Application", name: "root", controller: false }],
    managedFields: [{ manager: "argocd", operation: "Apply", fieldsV1: { "f:spec": { "f:project": {} } } }],
  },
  spec: {
    project: "default",
    revisionHistoryLimit: 0,
    destination: { server: "https://kubernetes.default.svc", namespace: "shop" },
    source: {
      repoURL: "https://example.com/shop.git",
      helm: { valuesObject: { replicas: 3, deep: { list: [1, "two", null] } }, values: "a: b\n" },
      kustomize: {
        replicas: [
          { name: "web", count: 3 },
          { name: "db", count: "50%" },
        ],
      },
      plugin: {
        parameters: [
          { name: "text", string: "" },
          { name: "list", array: ["a", ""] },
          { name: "map", map: { k: "v" } },
        ],
      },
    },
    ignoreDifferences: [{ kind: "Deployment", jsonPointers: ["/spec/replicas"] }],
    syncPolicy: { automated: { prune: true, enabled: false }, retry: { limit: 3, backoff: { factor: 0 } } },
  },
  status: { sync: { status: "Synced" }, operationState: { startedAt: "2026-01-02T03:04:05Z" } },
};

test("an object is the same after it was a message", () => {
  assert.deepEqual(sent(ApplicationSchema, application), application);
});

test("embedded fields stand with the others, as in Go's JSON", () => {
  const tree = { nodes: [{ kind: "Pod", name: "web", uid: "1", createdAt: "2026-01-02T03:04:05Z" }] };
  assert.deepEqual(sent(ApplicationTreeSchema, tree), tree);
});

test("zeros that Go writes unasked are no word of anybody; a pointer's are", () => {
  // As Go's generated code writes them: prune and selfHeal are no pointers, enabled is.
  const bytes = new BinaryWriter().tag(1, WireType.Varint).bool(false).tag(2, WireType.Varint).bool(false);
  const unasked = fromBinary(SyncPolicyAutomatedSchema, bytes.finish());
  assert.deepEqual(jsonOfMessage(SyncPolicyAutomatedSchema, unasked), {});
  assert.deepEqual(sent(SyncPolicyAutomatedSchema, { enabled: false }), { enabled: false });
  assert.deepEqual(sent(BackoffSchema, { factor: 0, duration: "" }), { factor: 0 });
  const empty = { server: "*", namespace: "", defaultServiceAccount: "" };
  const { namespace: _absent, ...refused } = empty;
  assert.deepEqual(sent(ApplicationDestinationServiceAccountSchema, empty), refused);
});

test("in a request what is there was said", () => {
  const request = { name: "shop", cascade: false };
  assert.deepEqual(sent(ApplicationDeleteRequestSchema, request), request);
  assert.deepEqual(sent(AccountSchema, { name: "ci", enabled: false }), { name: "ci" });
});

test("required fields are always sent: Go's clients refuse a message without", () => {
  assert.deepEqual(sent(LogEntrySchema, { content: "hello", podName: "web" }), {
    content: "hello",
    last: false,
    timeStampStr: "",
    podName: "web",
  });
});

test("fields that the type does not know survive", () => {
  const newer = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string("10s")
    .tag(99, WireType.Varint)
    .int32(7);
  const bytes = newer.finish();
  const json = jsonOfMessage(BackoffSchema, fromBinary(BackoffSchema, bytes));
  assert.deepEqual(toBinary(BackoffSchema, messageOfJson(BackoffSchema, json) as never), bytes);
  assert.equal(JSON.stringify(json), JSON.stringify({ duration: "10s" }));
  assert.equal(firstUnknown({ spec: { retry: [{}, json] } }), "spec.retry.1: 99");
  assert.equal(firstUnknown(application), undefined);
});

test("what a field cannot hold is left out, and numbers that JavaScript cannot hold are refused", () => {
  const odd = { metadata: { name: 5, generation: "x", labels: { a: 1, b: "c" } }, spec: "text" };
  assert.deepEqual(sent(ApplicationSchema, odd), { metadata: { labels: { b: "c" } }, spec: {} });
  const huge = new BinaryWriter()
    .tag(2, WireType.Varint)
    .int64(2n ** 60n)
    .finish();
  assert.throws(() => jsonOfMessage(BackoffSchema, fromBinary(BackoffSchema, huge)), RangeError);
});

test("what a message has no field for is kept of what is stored; lists of another length are new", () => {
  const stored = {
    kind: "Application",
    spec: { newer: 1, project: "a", sources: [{ path: "x", newer: 2 }], source: { path: "gone", newer: 3 } },
  };
  const given = { spec: { project: "b", sources: [{ path: "y" }] } };
  assert.deepEqual(keepUnsaid(ApplicationSchema, given, stored), {
    kind: "Application",
    spec: { newer: 1, project: "b", sources: [{ path: "y", newer: 2 }] },
  });
  const more = { spec: { sources: [{}, {}] } };
  assert.deepEqual(keepUnsaid(ApplicationSchema, more, stored), {
    kind: "Application",
    spec: { newer: 1, sources: [{}, {}] },
  });
});

test("rules of comparison are a text in JSON and a message elsewhere", () => {
  const rule = { jsonPointers: ["/a"], jqPathExpressions: [], managedFieldsManagers: ["b"] };
  const overrides = { "apps/Deployment": { ignoreDifferences: JSON.stringify(rule) } };
  const message: Message = messageOfJson(SettingsSchema, { resourceOverrides: overrides });
  const desc: GenMessage<Message> = SettingsSchema;
  const arrived = fromBinary(SettingsSchema, toBinary(desc, message));
  assert.deepEqual(arrived.resourceOverrides["apps/Deployment"]?.ignoreDifferences?.jSONPointers, ["/a"]);
  const { resourceOverrides } = Object(sent(SettingsSchema, { resourceOverrides: overrides }));
  assert.deepEqual(JSON.parse(resourceOverrides["apps/Deployment"].ignoreDifferences), rule);
});
