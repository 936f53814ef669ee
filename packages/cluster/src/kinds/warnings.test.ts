import assert from "node:assert/strict";
import { test } from "node:test";
import { objectWarnings } from "../schema/warnings.ts";
import { deployment as kind } from "./apps/deployment.ts";
import { service as serviceKind } from "./core/service.ts";

const env = [
  { name: "A", value: "1" },
  { name: "A", value: "2" },
];

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: { template: { spec: { containers: [{ name: "c", env }] } } },
};

test("a variable that hides another is warned of when the template is written", () => {
  assert.deepEqual(objectWarnings(kind, deployment), [
    'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  ]);
});

test("an update that leaves the specification alone warns of nothing", () => {
  const labelled = { ...deployment, metadata: { name: "d", labels: { a: "b" } } };
  assert.deepEqual(objectWarnings(kind, labelled, deployment), []);
});

test("a Service is warned of what its type ignores", () => {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: { type: "ClusterIP", clusterIP: "10.0.0.1", externalName: "a" },
  };
  assert.deepEqual(objectWarnings(serviceKind, service), [
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  ]);
});
