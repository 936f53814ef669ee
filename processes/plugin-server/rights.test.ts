import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { parseManifests } from "@capstan/model";
import { openSmallWorld } from "@capstan/testkit/worlds";

const file = join(import.meta.dirname, "..", "..", "deploy", "plugin-services", "rbac.yaml");

test("what finds plugins as Services may get, list and watch Services and EndpointSlices there, and nothing else", async () => {
  await using world = await openSmallWorld();
  const signal = AbortSignal.timeout(100_000);
  for (const object of parseManifests(await readFile(file, "utf8")))
    await world.kube.apply(object, { fieldManager: "test", force: true, signal });
  const may = async (verb: string, resource: string, namespace = "argocd") => {
    const group = resource === "endpointslices" ? "discovery.k8s.io" : "";
    const review = await world.kube.create(
      {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        metadata: {},
        spec: {
          user: "system:serviceaccount:argocd:argocd-application-controller",
          groups: ["system:serviceaccounts", "system:serviceaccounts:argocd", "system:authenticated"],
          resourceAttributes: { verb, group, resource, namespace },
        },
      },
      { signal },
    );
    return isRecord(review.status) && review.status.allowed === true;
  };
  for (const resource of ["services", "endpointslices"]) {
    for (const verb of ["get", "list", "watch"]) assert.equal(await may(verb, resource), true);
    for (const verb of ["create", "update", "patch", "delete"])
      assert.equal(await may(verb, resource), false);
    assert.equal(await may("list", resource, "default"), false);
  }
  for (const resource of ["secrets", "pods", "configmaps", "endpoints"])
    assert.equal(await may("list", resource), false);
});
