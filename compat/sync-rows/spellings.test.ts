import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import {
  type ApplicationView,
  configMapText,
  deploymentText,
  eventually,
  untilApplication,
} from "@capstan/testkit";
import { configMapRef, refresh, untilObject } from "@capstan/testkit/worlds";
import { applySettings, definitionOf, limit, placeIn, shareWorld, sync } from "./place.ts";

const world = shareWorld();
const isSynced = ({ sync: status }: ApplicationView) => status === "Synced";
const isOther = ({ sync: status }: ApplicationView) => status === "OutOfSync";
const until = (name: string, isSo: (view: ApplicationView) => boolean) =>
  untilApplication(world().kube, name, isSo);
const text = (object: object) => JSON.stringify(object);
const patch = (
  ref: Parameters<ReturnType<typeof world>["kube"]["patch"]>[0],
  body: object,
  by = "somebody",
) => world().kube.patch(ref, { type: "merge", body }, { signal: limit(), fieldManager: by });

/** Fields as people write them, and the server does not: empty, null, other spellings, left to defaults. */
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", creationTimestamp: null, labels: {}, annotations: {} },
  spec: {
    selector: { matchLabels: { app: "web" } },
    strategy: {},
    template: {
      metadata: { creationTimestamp: null, labels: { app: "web" } },
      spec: {
        containers: [
          {
            name: "main",
            image: "registry.example/main:1",
            ports: [{ containerPort: 80 }],
            env: [],
            resources: { requests: { cpu: "0.5", memory: "1024Mi" }, limits: { cpu: 1, memory: "1Gi" } },
          },
        ],
        volumes: [{ name: "scratch", emptyDir: {} }],
        nodeSelector: {},
      },
    },
  },
  status: {},
};
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }], externalIPs: [] },
  status: { loadBalancer: {} },
};
const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login" },
  data: { user: "YWRh" },
  stringData: { password: "open sesame" },
};
const role = (name: string, fields: object) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: `rows-spelled-${name}` },
  ...fields,
});
const endpoints = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "addresses" },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.1.0.2"] }, { addresses: ["10.1.0.1"] }],
  ports: [
    { name: "b", port: 81 },
    { name: "a", port: 80 },
  ],
};
const spelled = {
  "app/web.yaml": text(web),
  "app/service.yaml": text(service),
  "app/secret.yaml": text(secret),
  "app/empty.yaml": text(role("empty", { rules: [] })),
  "app/none.yaml": text(role("none", { rules: null })),
  "app/endpoints.yaml": text(endpoints),
};

test("what the server writes otherwise than git is no difference: defaults, quantities, empty fields, times, texts of Secrets", async () => {
  const name = "spelled";
  await using there = await placeIn(world())(name, spelled);
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  const view = await until(name, isSynced);
  assert.deepEqual(
    view.resources.filter(({ status }) => status !== "Synced"),
    [],
  );
  const slice = { ...endpoints, namespace: name, name: "addresses" };
  await patch(slice, {
    endpoints: [...endpoints.endpoints].reverse(),
    ports: [...endpoints.ports].reverse(),
  });
  await patch({ ...service, namespace: name, name: "web" }, { metadata: { labels: { theirs: "x" } } });
  await refresh(world(), name);
  await world().controller.idle();
  await until(name, isSynced);
  await patch({ ...secret, namespace: name, name: "login" }, { data: { password: "b3RoZXI=" } });
  const { resources } = await until(name, isOther);
  assert.deepEqual(
    resources.filter(({ status }) => status !== "Synced").map(({ kind }) => kind),
    ["Secret"],
  );
});

const thing = definitionOf({ group: "spelled.example", kind: "Thing", plural: "things", hasStatus: true });
const thingRef = (namespace: string) => ({
  apiVersion: "spelled.example/v1",
  kind: "Thing",
  namespace,
  name: "one",
});

test("fields of custom kinds are as they are written, but where the settings say which type they have", async () => {
  const name = "custom";
  const object = { apiVersion: "spelled.example/v1", kind: "Thing", metadata: { name: "one" } };
  await using there = await placeIn(world())(name, {
    "app/crd.yaml": text(thing),
    "app/one.yaml": text({ ...object, spec: { cpu: "0.5", list: [] } }),
  });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
  await until(name, isSynced);
  await patch(thingRef(name), { spec: { cpu: "500m" } });
  await until(name, isOther);
  await applySettings(world(), {
    "resource.customizations.knownTypeFields.spelled.example_Thing": text([
      { field: "spec.cpu", type: "core/Quantity" },
    ]),
  });
  await until(name, isSynced);
  await patch(thingRef(name), { spec: { list: null } });
  await until(name, isOther);
});

test("a status that git names counts where the settings say so", async () => {
  const name = "with-status";
  const object = { apiVersion: "spelled.example/v1", kind: "Thing", metadata: { name: "one" } };
  await using there = await placeIn(world())(name, {
    "app/one.yaml": text({ ...object, spec: {}, status: { phase: "as git has it" } }),
  });
  await sync(there);
  await until(name, isSynced);
  await applySettings(world(), { "resource.compareoptions": text({ ignoreResourceStatusField: "none" }) });
  await until(name, isOther);
  await applySettings(world(), { "resource.compareoptions": text({ ignoreResourceStatusField: "all" }) });
  await until(name, isSynced);
});

test("rules of an aggregated role are its controller's, where the settings say so", async () => {
  const name = "aggregated";
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { "rows-to-aggregate": "x" } }] };
  await using there = await placeIn(world())(name, {
    "app/role.yaml": text(role("aggregated", { aggregationRule, rules: [] })),
  });
  await sync(there);
  await until(name, isSynced);
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const metadata = { name: "rows-spelled-part", labels: { "rows-to-aggregate": "x" } };
  await world().kube.create({ ...role("part", { rules }), metadata }, { signal: limit() });
  const ref = { ...role("aggregated", {}), name: "rows-spelled-aggregated" };
  await untilObject(world(), ref, (live) => Array.isArray(live?.rules) && live.rules.length > 0);
  await applySettings(world(), { "resource.compareoptions": text({ ignoreAggregatedRoles: true }) });
  await refresh(world(), name);
  await until(name, isSynced);
});

const ignored: Record<string, { rule: object; drift: object; counts: object }> = {
  "a pointer into a list": {
    rule: { jsonPointers: ["/spec/template/spec/containers/0/image"] },
    drift: {
      op: "replace",
      path: "/spec/template/spec/containers/0/image",
      value: "registry.example/other:2",
    },
    counts: { op: "replace", path: "/spec/template/spec/containers/0/name", value: "other" },
  },
  "an expression of jq": {
    rule: { jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "main") | .image'] },
    drift: {
      op: "replace",
      path: "/spec/template/spec/containers/0/image",
      value: "registry.example/other:2",
    },
    counts: { op: "replace", path: "/spec/replicas", value: 3 },
  },
};
for (const [what, { rule, drift, counts }] of Object.entries(ignored))
  test(`ignoreDifferences leaves ${what} out, and nothing else`, async () => {
    const name = `ignoring-${Object.keys(rule)[0]?.toLowerCase()}`;
    const spec = { ignoreDifferences: [{ group: "apps", kind: "Deployment", ...rule }] };
    await using there = await placeIn(world())(name, { "app/web.yaml": deploymentText("web") }, { spec });
    await sync(there);
    await until(name, isSynced);
    const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: name, name: "web" };
    const edit = (operation: object) =>
      world().kube.patch(
        ref,
        { type: "json", body: [operation] },
        { signal: limit(), fieldManager: "somebody" },
      );
    const { metadata } = await edit(drift);
    const isSeen = (live: Manifest | undefined) =>
      Number(live?.metadata.resourceVersion) >= Number(metadata.resourceVersion);
    const key = { group: "apps", kind: "Deployment", namespace: name, name: "web" };
    await eventually(() => isSeen(world().cluster.live.get(key)) || undefined, {
      signal: limit(),
      describe: () => "the drift is not seen",
    });
    await refresh(world(), name);
    await world().controller.idle();
    await until(name, isSynced);
    await edit(counts);
    await until(name, isOther);
  });

test("ignoreDifferences leaves the fields of a manager out, and a sync that respects them leaves these as they live", async () => {
  const name = "managed-by-another";
  const rule = { group: "", kind: "ConfigMap", managedFieldsManagers: ["scaler"] };
  const syncOptions = ["CreateNamespace=true", "RespectIgnoreDifferences=true"];
  const spec = { ignoreDifferences: [rule], syncPolicy: { syncOptions } };
  await using there = await placeIn(world())(
    name,
    { "app/one.yaml": `${configMapText("one", "git")}  more: git\n` },
    { spec },
  );
  await sync(there, { syncOptions });
  await until(name, isSynced);
  const ref = configMapRef(name, "one");
  await patch(ref, { data: { key: "scaled" } }, "scaler");
  await refresh(world(), name);
  await world().controller.idle();
  await until(name, isSynced);
  await patch(ref, { data: { more: "drifted" } });
  await until(name, isOther);
  await sync(there, { syncOptions });
  const live = await untilObject(world(), ref, (one) => Object(one?.data).more === "git");
  assert.equal(Object(live?.data).key, "scaled");
  await until(name, isSynced);
  await sync(there, { syncOptions: ["CreateNamespace=true"] });
  await untilObject(world(), ref, (one) => Object(one?.data).key === "git");
});
