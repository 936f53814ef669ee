import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "./test-cluster.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const asRobot = { "impersonate-user": "system:serviceaccount:default:robot" };

/** Headers that ask as somebody who may do this in the default namespace, and nothing else. */
async function mayDo(
  cluster: TestCluster,
  rule: { verbs: string[]; resources: string[]; resourceNames?: string[] },
) {
  const name = rule.verbs.join("-");
  await cluster.create(`${rbac}/namespaces/default/roles`, {
    metadata: { name },
    rules: [{ apiGroups: [""], ...rule }],
  });
  await cluster.create(`${rbac}/namespaces/default/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "User", name }],
  });
  return { "impersonate-user": name };
}

test("an account may do what its roles say and nothing else", async (t) => {
  const cluster = await TestCluster.start(t);
  const denied = await cluster.get("/api/v1/namespaces/default/pods", asRobot);
  assert.equal(denied.status, 403);
  assert.match(
    String(denied.body.message),
    /cannot list resource "pods" in API group "" in the namespace "default"$/,
  );
  await cluster.create(`${rbac}/namespaces/default/rolebindings`, {
    metadata: { name: "robot" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
  });
  await cluster.until(`${rbac}/clusterroles/view`, ({ body }) => Array.isArray(body.rules));
  assert.equal((await cluster.get("/api/v1/namespaces/default/pods", asRobot)).status, 200);
  assert.equal((await cluster.get("/api/v1/namespaces/default/secrets", asRobot)).status, 403);
});

test("the verb that is authorised is the one that is served", async (t) => {
  const cluster = await TestCluster.start(t);
  const may = (verb: string) => mayDo(cluster, { resources: ["configmaps"], verbs: [verb] });
  const configMaps = "/api/v1/namespaces/default/configmaps";
  await cluster.create(configMaps, { metadata: { name: "kept" } });
  const [watching, listing] = [await may("watch"), await may("list")];
  for (const text of ["False", "FALSE", "false", "0"]) {
    assert.equal((await cluster.get(`${configMaps}?watch=${text}`, watching)).status, 403, text);
    assert.equal((await cluster.get(`${configMaps}?watch=${text}`, listing)).status, 200, text);
  }
  for (const text of ["", "yes", "1", "t"])
    assert.equal((await cluster.get(`${configMaps}?timeoutSeconds=1&watch=${text}`, listing)).status, 403);
  const formerly = "/api/v1/watch/namespaces/default/configmaps/kept";
  assert.equal((await cluster.get(`${formerly}?timeoutSeconds=1`, listing)).status, 403);
  for (const method of ["DELETE", "PUT", "PATCH"])
    assert.equal((await cluster.ask(method, formerly, { body: {}, headers: watching })).status, 405, method);
  assert.equal((await cluster.get(`${configMaps}/kept`)).status, 200);
});

test("the name that is authorised is the one that is selected", async (t) => {
  const cluster = await TestCluster.start(t);
  const headers = await mayDo(cluster, {
    resources: ["configmaps"],
    verbs: ["list", "watch", "deletecollection"],
    resourceNames: ["kept"],
  });
  const configMaps = "/api/v1/namespaces/default/configmaps";
  await cluster.create(configMaps, { metadata: { name: "kept" } });
  const status = async (selector: string, method = "GET", path = configMaps) =>
    (await cluster.ask(method, `${path}?fieldSelector=${encodeURIComponent(selector)}`, { headers })).status;
  for (const selector of ["metadata.name=kept", "metadata.namespace=default,metadata.name==kept"])
    assert.equal(await status(selector), 200, selector);
  // The comma is escaped: this is a namespace that no object is in, and so it selects all of them.
  for (const selector of ["metadata.namespace!=x\\,metadata.name=kept", "metadata.name!=kept", ""])
    assert.equal(await status(selector), 403, selector);
  assert.equal(await status("metadata.name=kept", "DELETE"), 403);
  assert.equal(await status("metadata.name=kept", "GET", configMaps.replace("v1", "v1/watch")), 403);
});

test("who may update and patch may not create by it", async (t) => {
  const cluster = await TestCluster.start(t);
  const headers = await mayDo(cluster, {
    resources: ["configmaps", "limitranges"],
    verbs: ["update", "patch"],
  });
  const limits = "/api/v1/namespaces/default/limitranges/new";
  const body = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "new" }, spec: { limits: [] } };
  const put = await cluster.ask("PUT", limits, { body, headers });
  assert.equal(put.status, 403, put.text);
  const apply = { ...headers, "content-type": "application/apply-patch+yaml" };
  const asked = (more: string) =>
    cluster.ask("PATCH", `${limits}?fieldManager=me${more}`, { body, headers: apply });
  assert.equal((await asked("")).status, 403);
  assert.equal((await cluster.get(limits)).status, 404);
  await cluster.create("/api/v1/namespaces/default/limitranges", body);
  assert.equal((await asked("&force=true")).status, 200);
});

test("who may post to a page does not get it by that", async (t) => {
  const cluster = await TestCluster.start(t);
  for (const page of ["/version", "/api", "/api/v1", "/apis/apps/v1", "/openid/v1/jwks"]) {
    assert.equal((await cluster.get(page)).status, 200, page);
    assert.equal((await cluster.ask("POST", page, { body: {} })).status, 405, page);
  }
});

test("a namespace is found by its name, its parts too, and nothing else inside a namespace is one", async (t) => {
  const cluster = await TestCluster.start(t);
  for (const path of ["default", "default/status"])
    assert.equal((await cluster.get(`/api/v1/namespaces/${path}`)).status, 200, path);
  assert.equal((await cluster.get("/api/v1/namespaces/default/namespaces/default")).status, 404);
});

test("a token Secret is filled, and its token ends with the Secret", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(accounts, { metadata: { name: "robot" } });
  await cluster.create("/api/v1/namespaces/default/secrets", {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "robot" } },
    type: "kubernetes.io/service-account-token",
  });
  const secret = "/api/v1/namespaces/default/secrets/token";
  const filled = await cluster.until(secret, ({ body }) => at(body, "data", "token") !== undefined);
  const token = Buffer.from(String(at(filled.body, "data", "token")), "base64").toString();
  const review = () => cluster.create("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } });
  assert.equal(
    at((await review()).body, "status", "user", "username"),
    "system:serviceaccount:default:robot",
  );
  await cluster.ask("DELETE", secret);
  assert.equal(at((await review()).body, "status", "authenticated"), undefined);
});

test("the keys that tokens are signed with are published", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(accounts, { metadata: { name: "robot" } });
  const { body } = await cluster.create(`${accounts}/robot/token`, {});
  const [head = ""] = String(at(body, "status", "token")).split(".");
  const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
  const keys = await cluster.get("/openid/v1/jwks");
  assert.equal(keys.headers["content-type"], "application/jwk-set+json");
  assert.equal(JSON.parse(keys.text).keys[0].kid, kid);
  const discovery = await cluster.get("/.well-known/openid-configuration");
  assert.equal(discovery.body.issuer, "https://kubernetes.default.svc");
});
