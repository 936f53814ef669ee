import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { maskSecrets } from "./mask-secrets.ts";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const secret = (data: unknown, extra: { [field: string]: unknown } = {}, metadata = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", ...metadata },
  data,
  ...extra,
});

test("equal values look equal, each further value gets a longer mask", () => {
  const [target, live] = maskSecrets(
    [],
    [secret({ a: "MQ==", b: "Mg==" }), secret({ a: "MQ==", b: "Mw==" })],
  );
  assert.deepEqual(target?.data, { a: "++++++++", b: "++++++++" });
  assert.deepEqual(live?.data, { a: "++++++++", b: "++++++++++++" });
});

test("stringData and its encoded value are one", () => {
  const [target, live] = maskSecrets([], [secret({}, { stringData: { a: "x" } }), secret({ a: "eA==" })]);
  assert.deepEqual(target?.data, live?.data);
  assert.equal(target?.stringData, undefined);
});

test("the last applied configuration shows nothing", () => {
  const annotations = {
    "kubectl.kubernetes.io/last-applied-configuration": '{"kind":"Secret","data":{"a":"aHVudGVyMg=="}}',
  };
  const [live] = maskSecrets([], [secret({ a: "aHVudGVyMg==" }, {}, { annotations })]);
  assert.ok(!JSON.stringify(live).includes("aHVudGVyMg"));
});

test("an annotation that cannot be read is hidden altogether", () => {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "hunter2 {" };
  const [live] = maskSecrets([], [secret({}, {}, { annotations })]);
  assert.ok(!JSON.stringify(live).includes("hunter2"));
});

test("other kinds and absent sides pass through", () => {
  const config: Manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { a: "1" } };
  assert.deepEqual(maskSecrets([], [config, undefined]), [config, undefined]);
});

test("annotations that the settings name are hidden, also in the last applied configuration", () => {
  const applied = (token: string) =>
    JSON.stringify({ kind: "Secret", metadata: { name: "s", annotations: { token, app: "web" } } });
  const annotated = (token: string, last: string) =>
    secret({}, {}, { annotations: { token, app: "web", [lastApplied]: applied(last) } });
  const [target, live] = maskSecrets(["token"], [annotated("new", "new"), annotated("old", "new")]);
  assert.deepEqual(target?.metadata.annotations, {
    token: "++++++++",
    app: "web",
    [lastApplied]: applied("++++++++"),
  });
  assert.deepEqual(live?.metadata.annotations, {
    token: "++++++++++++",
    app: "web",
    [lastApplied]: applied("++++++++"),
  });
  const [all] = maskSecrets([lastApplied], [annotated("a", "b")]);
  assert.deepEqual(all?.metadata.annotations, { token: "a", app: "web", [lastApplied]: "++++++++" });
});
