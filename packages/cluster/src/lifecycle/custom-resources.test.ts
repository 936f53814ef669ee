import assert from "node:assert/strict";
import { test } from "node:test";
import { at, namesOf, TestCluster } from "../server/test-cluster.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" } } },
      status: { type: "object", properties: { replicas: { type: "integer" } } },
    },
  },
};

function crd(names: Record<string, unknown> = {}): Record<string, unknown> {
  const plural = names.plural ?? "widgets";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.test.io` },
    spec: {
      group: "test.io",
      scope: "Namespaced",
      names: { plural, singular: "widget", kind: "Widget", shortNames: ["wd"], ...names },
      versions: [
        { name: "v1alpha1", served: true, storage: false, schema, subresources: { status: {} } },
        {
          name: "v1",
          served: true,
          storage: true,
          schema,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.replicas" },
          },
        },
      ],
    },
  };
}

const widgets = "/apis/test.io/v1/namespaces/default/widgets";

test("a custom resource is served as soon as its definition is answered", async (t) => {
  const cluster = await TestCluster.start(t);
  const { body } = await cluster.create(crds, crd());
  const conditions = at(body, "status", "conditions");
  assert.ok(Array.isArray(conditions));
  assert.deepEqual(
    conditions.map((condition) => [at(condition, "type"), at(condition, "status")]),
    [
      ["NamesAccepted", "True"],
      ["Established", "True"],
    ],
  );
  assert.deepEqual(at(body, "status", "storedVersions"), ["v1"]);
  const created = await cluster.create(widgets, {
    apiVersion: "test.io/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 3 },
  });
  assert.equal(at(created.body, "metadata", "generation"), 1);
  const group = await cluster.get("/apis/test.io");
  assert.equal(at(group.body, "preferredVersion", "version"), "v1");
  const resources = await cluster.get("/apis/test.io/v1");
  assert.deepEqual(at(resources.body, "resources", "0", "shortNames"), ["wd"]);
});

test("every version shows the same object", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  const alpha = "/apis/test.io/v1alpha1/namespaces/default/widgets";
  const created = await cluster.create(alpha, {
    apiVersion: "test.io/v1alpha1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 3 },
  });
  assert.equal(created.body.apiVersion, "test.io/v1alpha1");
  const v1 = await cluster.get(`${widgets}/a`);
  assert.equal(v1.body.apiVersion, "test.io/v1");
  assert.equal(at(v1.body, "metadata", "uid"), at(created.body, "metadata", "uid"));
  const list = await cluster.get(alpha);
  assert.equal(at(list.body, "items", "0", "apiVersion"), "test.io/v1alpha1");
});

test("what is stored is read as the present schema has it", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  await cluster.create(widgets, {
    apiVersion: "test.io/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 3 },
  });
  const properties = { shape: { type: "string", default: "round" } };
  const spec = { type: "object", properties };
  const path = (version: number) => `/spec/versions/${version}/schema/openAPIV3Schema/properties/spec`;
  const operations = [0, 1].map((version) => ({ op: "replace", path: path(version), value: spec }));
  assert.equal((await cluster.patch(`${crds}/widgets.test.io`, "json", operations)).status, 200);
  assert.deepEqual((await cluster.get(`${widgets}/a`)).body.spec, { shape: "round" });
  assert.deepEqual(at((await cluster.get(widgets)).body, "items", "0", "spec"), { shape: "round" });
  await cluster.patch(`${widgets}/a`, "merge", { metadata: { labels: { x: "y" } } });
  assert.deepEqual((await cluster.get(`${widgets}/a`)).body.spec, { shape: "round" });
});

test("status and object are written apart, and only the object counts generations", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  const body = {
    apiVersion: "test.io/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 1 },
    status: { replicas: 9 },
  };
  const created = await cluster.create(widgets, body);
  assert.equal(created.body.status, undefined);
  const status = await cluster.patch(`${widgets}/a/status`, "merge", {
    status: { replicas: 1 },
    spec: { size: 7 },
    metadata: { labels: { x: "y" } },
  });
  assert.deepEqual(
    [
      at(status.body, "status", "replicas"),
      at(status.body, "spec", "size"),
      at(status.body, "metadata", "labels"),
    ],
    [1, 1, undefined],
  );
  assert.equal(at(status.body, "metadata", "generation"), 1);
  const spec = await cluster.patch(`${widgets}/a`, "merge", { spec: { size: 2 }, status: { replicas: 5 } });
  assert.deepEqual(
    [
      at(spec.body, "status", "replicas"),
      at(spec.body, "spec", "size"),
      at(spec.body, "metadata", "generation"),
    ],
    [1, 2, 2],
  );
});

test("a custom resource is updated only from a known version", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  const body = { apiVersion: "test.io/v1", kind: "Widget", metadata: { name: "a" } };
  await cluster.create(widgets, body);
  const answer = await cluster.ask("PUT", `${widgets}/a`, { body });
  assert.equal(answer.status, 422);
  assert.equal(
    answer.body.message,
    'widgets.test.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  );
});

test("its scale is read and written by the paths that it names", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  await cluster.create(widgets, {
    apiVersion: "test.io/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { size: 1 },
  });
  const scaled = await cluster.patch(`${widgets}/a/scale`, "merge", { spec: { replicas: 4 } });
  assert.equal(scaled.body.kind, "Scale");
  assert.equal(at(scaled.body, "spec", "replicas"), 4);
  assert.equal(at((await cluster.get(`${widgets}/a`)).body, "spec", "size"), 4);
});

test("strategic merge is refused, as it needs the tags of built-in types", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  await cluster.create(widgets, { apiVersion: "test.io/v1", kind: "Widget", metadata: { name: "a" } });
  assert.equal((await cluster.patch(`${widgets}/a`, "strategic", {})).status, 415);
});

test("a name that is taken is not served", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  const second = await cluster.create(crds, crd({ plural: "gadgets", singular: "gadget", kind: "Gadget" }));
  assert.equal(at(second.body, "status", "conditions", "0", "status"), "False");
  assert.match(String(at(second.body, "status", "conditions", "0", "message")), /"wd" is already in use/);
  assert.equal((await cluster.get("/apis/test.io/v1/gadgets")).status, 404);
});

test("deleting the definition ends its objects, waits for their finalizers, and stops serving", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(crds, crd());
  for (const [name, finalizers] of [
    ["a", []],
    ["b", ["test/hold"]],
  ])
    await cluster.create(widgets, {
      apiVersion: "test.io/v1",
      kind: "Widget",
      metadata: { name, finalizers },
    });
  await cluster.ask("DELETE", `${crds}/widgets.test.io`);
  await cluster.until(`${widgets}/a`, ({ status }) => status === 404);
  assert.deepEqual(namesOf(await cluster.get(widgets)), ["b"]);
  await cluster.patch(`${widgets}/b`, "merge", { metadata: { finalizers: null } });
  await cluster.until(`${crds}/widgets.test.io`, ({ status }) => status === 404);
  await cluster.until(widgets, ({ text }) => text === "404 page not found\n");
});

test("what a change leaves as it is need not be looked at again, unless it moves or its definition changed", async (t) => {
  const cluster = await TestCluster.start(t);
  const sized = (maximum: number) => ({
    type: "object",
    properties: { size: { type: "integer", maximum }, form: { type: "string", default: "round" } },
  });
  const parts = { type: "object", properties: { small: sized(5), large: sized(100) } };
  const properties = { spec: parts, status: { type: "object", properties: { seen: sized(9) } } };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties } },
  };
  const { spec, ...rest } = crd();
  await cluster.create(crds, { ...rest, spec: { ...(spec as object), versions: [version] } });
  await cluster.create(widgets, {
    apiVersion: "test.io/v1",
    kind: "Widget",
    metadata: { name: "a" },
    spec: { large: { size: 50 } },
  });
  const one = `${widgets}/a`;
  const large = { size: 50, form: "round" };
  const merged = await cluster.patch(one, "merge", { status: { seen: { size: 1, more: true } } });
  assert.equal(merged.status, 200);
  assert.deepEqual([merged.body.spec, merged.body.status], [{ large }, { seen: { size: 1, form: "round" } }]);
  assert.equal((await cluster.patch(one, "merge", { status: { seen: { size: 10 } } })).status, 422);
  assert.equal((await cluster.patch(one, "merge", { spec: { large: { size: 101 } } })).status, 422);
  const moved = await cluster.patch(one, "json", [{ op: "copy", from: "/spec/large", path: "/spec/small" }]);
  assert.equal(moved.status, 422);
  const lower = [
    {
      op: "replace",
      path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/large",
      value: sized(49),
    },
  ];
  assert.equal((await cluster.patch(`${crds}/widgets.test.io`, "json", lower)).status, 200);
  assert.equal((await cluster.patch(one, "merge", { status: { seen: { size: 2 } } })).status, 422);
  assert.equal((await cluster.patch(one, "merge", { spec: { large: { size: 49 } } })).status, 200);
  assert.equal((await cluster.patch(one, "merge", { status: { seen: { size: 3 } } })).status, 200);
});
