import assert from "node:assert/strict";
import { test } from "node:test";
import { countingListener } from "@capstan/testkit";
import { at, TestCluster } from "../server/test-cluster.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const maps = "/api/v1/namespaces/default/configmaps";
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

function configuration(name: string, client: object, more: object = {}): object {
  const rule = { operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  const webhook = {
    name: `${name}.example.com`,
    clientConfig: client,
    rules: [rule],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [webhook],
  };
}

test("a webhook whose Service has simulated Pods is not called: a warning says so, and nothing is refused", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create("/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "hook" },
    spec: { selector: { app: "hook" }, ports: [{ port: 443, targetPort: 8443 }] },
  });
  await cluster.create(
    configurations,
    configuration("simulated", { service: { namespace: "default", name: "hook" } }),
  );
  const { status, headers } = await cluster.ask("POST", maps, { body: map("one") });
  assert.equal(status, 201);
  assert.match(
    headers.warning ?? "",
    /simulated\.example\.com.* was not called: the Pods of its Service are simulated/,
  );
});

test("addresses of this machine are called with an authority of their own alone, metadata services never", async (t) => {
  const cluster = await TestCluster.start(t);
  using server = await countingListener();
  const { port } = server;
  const refused = async (url: string, more: object = {}) => {
    await cluster.create(configurations, configuration("inner", { url, ...more }));
    const { status, body } = await cluster.ask("POST", maps, { body: map("one") });
    await cluster.ask("DELETE", `${configurations}/inner`);
    assert.equal(status, 500);
    return String(at(body, "message"));
  };
  const rule = /an address of this machine or of its surroundings alone/;
  assert.match(await refused(`https://127.0.0.1:${port}/x`), rule);
  assert.match(await refused(`https://localhost:${port}/x`), rule);
  assert.match(
    await refused("https://169.254.169.254/x", {
      caBundle:
        cluster.cluster.caCertificate() && Buffer.from(cluster.cluster.caCertificate()).toString("base64"),
    }),
    rule,
  );
  assert.equal(server.connections(), 0);
  const caBundle = Buffer.from(cluster.cluster.caCertificate()).toString("base64");
  assert.doesNotMatch(await refused(`https://127.0.0.1:${port}/x`, { caBundle }), rule);
  assert.equal(server.connections(), 1);
});

test("configurations of webhooks are no webhook's affair, so that a mistake can be mended", async (t) => {
  const cluster = await TestCluster.start(t);
  const all = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
  const url = "https://127.0.0.1:1/x";
  await cluster.create(configurations, configuration("all", { url }, { rules: [all], timeoutSeconds: 1 }));
  assert.equal((await cluster.ask("POST", maps, { body: map("one") })).status, 500);
  assert.equal((await cluster.ask("DELETE", `${configurations}/all`)).status, 200);
  assert.equal((await cluster.ask("POST", maps, { body: map("one") })).status, 201);
});
