import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { treeSummary } from "./tree-summary.ts";

const object = (kind: string, uid: string, more: object = {}): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name: uid, namespace: "default", uid },
  ...more,
});
const pod = (uid: string, ...images: string[]) =>
  object("Pod", uid, { spec: { containers: images.map((image) => ({ name: image, image })) } });

test("images of Pods however deep and addresses of objects are told once each, sorted", () => {
  const service = object("Service", "web");
  service.metadata.annotations = { "link.argocd.argoproj.io/external-link": "https://web.example.com" };
  const children = new Map([
    ["deployment", [object("ReplicaSet", "set")]],
    ["set", [pod("one", "web:2", "agent:1"), pod("two", "web:2")]],
  ]);
  const deployment = object("Deployment", "deployment", {
    spec: { template: { spec: { containers: [{ name: "c", image: "template:1" }] } } },
  });
  const summary = treeSummary([deployment, service], (uid) => children.get(uid) ?? []);
  assert.deepEqual(summary, {
    images: ["agent:1", "web:2"],
    externalURLs: ["https://web.example.com"],
  });
  const nothing = treeSummary([object("ConfigMap", "none")], () => []);
  assert.deepEqual(nothing, {});
});

test("objects that own each other are gone through once", () => {
  const [one, two] = [pod("one", "a:1"), pod("two", "b:1")];
  const summary = treeSummary([one], (uid) => (uid === "one" ? [two] : [one, two]));
  assert.deepEqual(summary, { images: ["a:1", "b:1"] });
});
