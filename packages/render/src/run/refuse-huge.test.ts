import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { digestManifests } from "./digest-manifests.ts";
import { refuseTooMany } from "./refuse-huge.ts";

const wide = (kind: string, keys: number): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "wide" },
  data: Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, "v"])),
});
const digest = (manifest: Manifest) => () =>
  digestManifests([{ manifest, origin: { file: "a.yaml", document: 2, line: 7 } }]);

test("a manifest that nobody means, or no API server takes, is refused by name and place", () => {
  assert.throws(digest(wide("ConfigMap", 60_000)), /a\.yaml.*ConfigMap wide has more than 50000 values/s);
  const long = { ...wide("ConfigMap", 1), data: { text: "x".repeat(4 * 2 ** 20) } };
  assert.throws(digest(long), /a\.yaml.*ConfigMap wide is larger than the 3145728 bytes/s);
  digest(wide("CustomResourceDefinition", 60_000))();
  digest(wide("ConfigMap", 40_000))();
});

test("so is a render of more manifests than an application can have", () => {
  assert.throws(() => refuseTooMany(50_001, 0), /50001 manifests, more than 50000/);
  assert.throws(() => refuseTooMany(1, 65 * 2 ** 20), /bytes of manifests/);
  refuseTooMany(50_000, 64 * 2 ** 20);
});
