import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "../server/test-cluster.ts";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

async function statusOf(cluster: TestCluster, name: string, spec: object): Promise<unknown> {
  const resourceRules = [
    { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
  ];
  await cluster.create(policies, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
  const known = ({ body }: { body: unknown }) => at(body, "status", "observedGeneration") === 1;
  const { body } = await cluster.until(`${policies}/${name}`, known);
  return at(body, "status", "typeChecking");
}

test("expressions that fit the kind are not warned of", async (t) => {
  const cluster = await TestCluster.start(t);
  const fitting = [
    "object.spec.replicas <= 5 && has(object.spec.paused)",
    "object.metadata.?labels['app'].orValue('') != '' || !has(object.metadata.labels)",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('a') && !has(c.livenessProbe))",
    "oldObject == null || object.spec.selector == oldObject.spec.selector",
    "object.spec.strategy.rollingUpdate.maxSurge == '25%' || object.metadata.creationTimestamp != null",
    "quantity(object.spec.template.spec.containers[0].resources.limits['cpu']).isLessThan(quantity('1'))",
    "request.userInfo.groups.exists(g, g == 'x') || variables.name.size() > 3",
    "object.metadata.labels.exists(k, k == 'x') && object.metadata.name in ['a', 'b']",
    "!has(object.spec.template.spec.securityContext) || object.spec.template.spec.securityContext.runAsUser > 0",
    "namespaceObject.metadata.labels['x'] == 'y'",
  ];
  const validations = fitting.map((expression) => ({ expression }));
  const variables = [{ name: "name", expression: "object.metadata.name" }];
  assert.deepEqual(await statusOf(cluster, "fits", { validations, variables }), {});
});

test("an expression that does not fit is warned of, with the kind and the place", async (t) => {
  const cluster = await TestCluster.start(t);
  const validations = [
    { expression: "object.spec.replicas > 1" },
    { expression: "object.spec.replica > 1", messageExpression: "'' + object.spec.replicas" },
  ];
  const told = await statusOf(cluster, "odd", { validations });
  const warnings = at(told, "expressionWarnings");
  assert.ok(Array.isArray(warnings));
  assert.deepEqual(
    warnings.map(({ fieldRef }) => fieldRef),
    ["spec.validations[1].expression", "spec.validations[1].messageExpression"],
  );
  assert.match(
    warnings[0].warning,
    /^apps\/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'/,
  );
});
