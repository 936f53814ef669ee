import assert from "node:assert/strict";
import { test } from "node:test";
import { TestCluster } from "../server/test-cluster.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";

async function hold(cluster: TestCluster, expression: string, actions: readonly string[]): Promise<void> {
  const resourceRules = [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "DELETE"], resources: ["configmaps"] },
  ];
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression, message: "not so" }] };
  await cluster.create(`${group}/validatingadmissionpolicies`, { metadata: { name: "p" }, spec });
  await cluster.create(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: actions },
  });
}

test("a policy that warns lets the change through", async (t) => {
  const cluster = await TestCluster.start(t);
  await hold(cluster, "object.metadata.name != 'odd'", ["Warn"]);
  const { headers } = await cluster.create(maps, { metadata: { name: "odd" } });
  assert.equal(
    headers.warning,
    "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': not so\"",
  );
});

test("a policy keeps what may not be deleted", async (t) => {
  const cluster = await TestCluster.start(t);
  await hold(cluster, "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'", ["Deny"]);
  await cluster.create(maps, { metadata: { name: "kept" } });
  const answer = await cluster.ask("DELETE", `${maps}/kept`);
  assert.equal(answer.status, 422);
  assert.match(String(answer.body.message), /denied request: not so$/);
});
