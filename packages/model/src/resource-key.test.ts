import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersionOf, formatKey, groupOf, keyOf, versionOf } from "./resource-key.ts";
import { formatTrackingId, parseTrackingId } from "./tracking-id.ts";

test("group and version of an apiVersion", () => {
  assert.deepEqual([groupOf("apps/v1"), versionOf("apps/v1")], ["apps", "v1"]);
  assert.deepEqual([groupOf("v1"), versionOf("v1")], ["", "v1"]);
  assert.deepEqual([apiVersionOf("apps", "v1"), apiVersionOf("", "v1")], ["apps/v1", "v1"]);
});

test("keys print as people read them", () => {
  const web = keyOf({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
  });
  assert.equal(formatKey(web), "apps/Deployment shop/web");
  assert.equal(formatKey({ group: "", kind: "Namespace", namespace: "", name: "shop" }), "Namespace shop");
});

const ids = [
  "shop:apps/Deployment:ns/web",
  "argocd_shop:/ConfigMap:ns/settings",
  "shop:rbac.authorization.k8s.io/ClusterRole:ns/system:reader",
];
for (const text of ids) {
  test(`${text} is read and written the same`, () => {
    const id = parseTrackingId(text);
    assert.equal(id && formatTrackingId(id.instance, id.key), text);
  });
}

for (const text of ["", "shop", "shop:Deployment:ns/web", "shop:apps/Deployment:web", "a:b/c:d/e/f"]) {
  test(`"${text}" is no tracking id`, () => assert.equal(parseTrackingId(text), undefined));
}
