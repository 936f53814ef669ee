import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationKeys, fieldManager, type Manifest } from "@capstan/model";
import { readLastApplied, withLastApplied } from "./last-applied.ts";

const live = (metadata: Partial<Manifest["metadata"]>, fields: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "one", ...metadata },
  ...fields,
});
const applied = (fieldsV1: { [name: string]: unknown }, operation = "Apply") => ({
  manager: fieldManager,
  operation,
  fieldsV1,
});

test("an annotation of an earlier apply is not part of the next one", () => {
  const once = withLastApplied(live({ annotations: { a: "1" } }));
  assert.equal(
    withLastApplied(once).metadata.annotations?.[annotationKeys.lastApplied],
    once.metadata.annotations?.[annotationKeys.lastApplied],
  );
  assert.deepEqual(readLastApplied(once), live({ annotations: { a: "1" } }));
});

test("what anyone wrote there that is no object counts as nothing", () => {
  for (const text of ["", "{", "[1]", "null"])
    assert.equal(readLastApplied(live({ annotations: { [annotationKeys.lastApplied]: text } })), undefined);
});

test("after a server-side apply, what was applied is what we own of the live object", () => {
  const fields = {
    spec: {
      hostname: "a",
      nodeName: "others",
      volumes: [{ name: "tmp", emptyDir: { medium: "" } }],
      containers: [
        { name: "main", image: "a", tty: false },
        { name: "sidecar", image: "b" },
      ],
    },
  };
  const owned = applied({
    "f:metadata": { "f:labels": { ".": {} }, "f:finalizers": { 'v:"a"': {} } },
    "f:spec": {
      "f:hostname": {},
      "f:gone": {},
      "f:volumes": { 'k:{"name":"tmp"}': { ".": {}, "f:name": {}, "f:emptyDir": {} } },
      "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:image": {} }, 'k:{"name":"gone"}': {} },
    },
  });
  const metadata = { labels: { by: "others" }, finalizers: ["a", "b"], managedFields: [owned] };
  assert.deepEqual(readLastApplied(live(metadata, fields)), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { labels: {}, finalizers: ["a"] },
    spec: {
      hostname: "a",
      volumes: [{ name: "tmp", emptyDir: { medium: "" } }],
      containers: [{ name: "main", image: "a" }],
    },
  });
  const asUpdate = { ...metadata, managedFields: [applied(owned.fieldsV1, "Update")] };
  assert.equal(readLastApplied(live(asUpdate, fields)), undefined);
});
