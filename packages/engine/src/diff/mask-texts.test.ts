import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { maskAllTexts, maskTexts, textsAt } from "./mask-texts.ts";

const url = "db://ada:wal-nut@db";
const pod: Manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    namespace: "web",
    uid: "web",
    labels: { app: "web" },
    annotations: { copy: `{"url":"${url}"}` },
  },
  spec: { containers: [{ name: "web", image: "nginx", env: [{ name: "URL", value: url }], port: 80 }] },
};

test("the texts at the paths, and nothing else of an object", () => {
  const manifest: Manifest = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c" },
    data: { a: "x" },
  };
  const paths = [["data", "a"], ["data", "b"], ["metadata", "name", 0], ["data"]];
  assert.deepEqual(textsAt(paths, manifest), ["x"]);
  assert.deepEqual(textsAt([["list", 1]], { ...manifest, list: ["p", "q"] }), ["q"]);
  assert.deepEqual(textsAt(undefined, manifest), []);
});

test("what was made from a secret hides it, as a value and within one", () => {
  const { metadata, spec } = maskTexts([url], pod);
  assert.deepEqual(metadata.annotations, { copy: '{"url":"++++++++"}' });
  assert.deepEqual(spec, {
    containers: [{ name: "web", image: "nginx", env: [{ name: "URL", value: "++++++++" }], port: 80 }],
  });
});

test("a short secret hides whole values, and never what the object is called", () => {
  const { metadata, spec } = maskTexts(["web"], pod);
  assert.deepEqual([metadata.name, metadata.namespace, metadata.uid], ["web", "web", "web"]);
  assert.deepEqual(metadata.labels, { app: "++++++++" });
  assert.match(JSON.stringify(spec), /"name":"\+{8}","image":"nginx"/);
});

test("where nobody can tell, every text is hidden", () => {
  const { kind, metadata, spec } = maskAllTexts(pod);
  assert.deepEqual([kind, metadata.name], ["Pod", "web"]);
  const hidden = "++++++++";
  assert.deepEqual(metadata.annotations, { copy: hidden });
  assert.deepEqual(spec, {
    containers: [{ name: hidden, image: hidden, env: [{ name: hidden, value: hidden }], port: 80 }],
  });
});
