import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { migratedFields } from "./migrate-ownership.ts";

const annotation = {
  "f:metadata": { "f:annotations": { "f:kubectl.kubernetes.io/last-applied-configuration": {} } },
};
const entry = (manager: string, operation: string, fieldsV1: Record<string, unknown>) => ({
  manager,
  operation,
  apiVersion: "v1",
  fieldsV1,
});
const live = (...managedFields: ReturnType<typeof entry>[]): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", managedFields },
});

test("fields of a client-side apply become ours", () => {
  const moved = migratedFields(
    live(
      entry("kubectl-client-side-apply", "Update", { "f:data": { "f:a": {} } }),
      entry("other", "Update", { "f:data": { "f:b": {} } }),
    ),
    "kubectl-client-side-apply",
  );
  assert.deepEqual(
    moved?.map(({ manager, operation }) => `${manager} ${operation}`),
    ["other Update", "argocd-controller Apply"],
  );
  assert.deepEqual(moved?.[1]?.fieldsV1, { "f:data": { "f:a": {} } });
});

test("they are joined with what is ours already", () => {
  const moved = migratedFields(
    live(
      entry("argocd-controller", "Apply", { "f:data": { "f:x": {} } }),
      entry("argocd-controller", "Update", { ...annotation, "f:data": { "f:y": {} } }),
    ),
    "kubectl-client-side-apply",
  );
  assert.equal(moved?.length, 1);
  assert.deepEqual(moved?.[0]?.fieldsV1, { ...annotation, "f:data": { "f:x": {}, "f:y": {} } });
});

test("nothing is moved where there is nothing to move", () => {
  const own = entry("argocd-controller", "Apply", { "f:data": {} });
  const status = {
    ...entry("kubectl-client-side-apply", "Update", { "f:status": {} }),
    subresource: "status",
  };
  assert.equal(migratedFields(live(own, status), "kubectl-client-side-apply"), undefined);
});
