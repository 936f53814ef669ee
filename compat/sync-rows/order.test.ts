import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, deploymentText, eventually, untilApplication } from "@capstan/testkit";
import { applicationRef, readObject } from "@capstan/testkit/worlds";
import { begin, limit, placeIn, results, shareWorld } from "./place.ts";

const world = shareWorld();
const object = (apiVersion: string, kind: string, more: object = {}) =>
  JSON.stringify({ apiVersion, kind, metadata: { name: "one" }, ...more });

/** In files whose names have another order than their kinds. */
const files = {
  "app/a.yaml": deploymentText("one"),
  "app/b.yaml": object("v1", "Service", { spec: { ports: [{ port: 80 }] } }),
  "app/c.yaml": configMapText("one"),
  "app/d.yaml": object("v1", "Secret"),
  "app/e.yaml": object("v1", "ServiceAccount"),
};

/** It is denied, but not to those who only try. */
async function denySecrets(namespace: string): Promise<void> {
  const { kube } = world();
  const apiVersion = "admissionregistration.k8s.io/v1";
  const metadata = { name: namespace };
  const matchConstraints = {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["secrets"] }],
  };
  const expression = "has(request.dryRun) && request.dryRun && object.metadata.name != 'probe'";
  const validations = [{ expression, message: "no secrets here" }];
  const spec = { failurePolicy: "Fail", matchConstraints, validations };
  await kube.create({ apiVersion: "v1", kind: "Namespace", metadata }, { signal: limit() });
  await kube.create({ apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec }, { signal: limit() });
  const binding = { policyName: namespace, validationActions: ["Deny"] };
  const kind = "ValidatingAdmissionPolicyBinding";
  await kube.create({ apiVersion, kind, metadata, spec: binding }, { signal: limit() });
  const probe = { apiVersion: "v1", kind: "Secret", metadata: { name: "probe", namespace } };
  const isDenied = () =>
    kube.create(probe, { dryRun: true, signal: limit() }).then(
      () => undefined,
      () => true,
    );
  await eventually(isDenied, { signal: limit(), describe: () => "the policy is not in force" });
}

test("kinds have an order within a wave, and what fails keeps no later kind from being applied", async () => {
  const name = "ordered";
  await denySecrets(name);
  await using there = await placeIn(world())(name, files);
  const begun = world().requests.length;
  await begin(there, { syncOptions: [] });
  const { message } = await untilApplication(world().kube, name, ({ phase }) => phase === "Failed");
  assert.match(message, /no secrets here/);
  const applied = world()
    .requests.slice(begun)
    .filter(({ method, url }) => method === "PATCH" && url.includes(`/namespaces/${name}/`))
    .filter(({ url }) => !url.includes("dryRun"))
    .map(({ url }) => /\/(\w+)\/one/.exec(url)?.[1]);
  assert.deepEqual(applied, ["serviceaccounts", "secrets", "configmaps", "services", "deployments"]);
  assert.deepEqual(
    (await results(there)).filter((row) => row.includes("Failed")),
    ["Sync one Failed"],
  );
});

test("an Application is kept in its normal form", async () => {
  await using there = await placeIn(world())("normal", { "app/one.yaml": configMapText("one") });
  const { spec } = Object(await readObject(world(), applicationRef(there.name)));
  assert.equal(spec.syncPolicy, undefined);
});
