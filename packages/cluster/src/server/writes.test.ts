import assert from "node:assert/strict";
import { test } from "node:test";
import { at, TestCluster } from "./test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

function deployment(name: string): Record<string, unknown> {
  return {
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "c", image: "nginx:1" }] },
      },
    },
  };
}

test("a created object has what the server alone decides", async (t) => {
  const cluster = await TestCluster.start(t);
  const sent = {
    metadata: { name: "a", uid: "mine", generation: 7, creationTimestamp: null },
    data: { x: "1" },
  };
  const { body } = await cluster.create(maps, sent);
  const metadata = at(body, "metadata");
  assert.match(String(at(metadata, "uid")), /^[0-9a-f-]{36}$/);
  assert.match(String(at(metadata, "creationTimestamp")), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(String(at(metadata, "resourceVersion")), /^\d+$/);
  assert.equal(at(metadata, "generation"), 7, "a kind that counts nothing keeps what was sent");
  assert.equal(at(metadata, "namespace"), "default");
  assert.equal(at(metadata, "managedFields", "0", "manager"), "test");
  assert.deepEqual((await cluster.get(`${maps}/a`)).body, body);
});

test("what cannot be created is refused in kube-apiserver's words", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a" } });
  const cases: [unknown, number, string][] = [
    [{ metadata: { name: "a" } }, 409, 'configmaps "a" already exists'],
    [
      { metadata: {} },
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      { metadata: { name: "b", namespace: "kube-system" } },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      { metadata: { name: "b", resourceVersion: "5" } },
      500,
      "resourceVersion should not be set on objects to be created",
    ],
    [
      { apiVersion: "v2", metadata: { name: "b" } },
      400,
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ];
  for (const [body, status, message] of cases) {
    const answer = await cluster.ask("POST", maps, { body });
    assert.deepEqual([answer.status, answer.body.message], [status, message]);
    assert.equal(answer.body.kind, "Status");
    assert.equal(answer.body.code, status);
  }
  const elsewhere = await cluster.ask("POST", "/api/v1/namespaces/nowhere/configmaps", {
    body: { metadata: { name: "b" } },
  });
  assert.deepEqual([elsewhere.status, elsewhere.body.message], [404, 'namespaces "nowhere" not found']);
});

test("bodies that are no objects are refused", async (t) => {
  const cluster = await TestCluster.start(t);
  const half = await cluster.ask("POST", maps, { body: '{"apiVersion":"v1","kind":"ConfigMap"' });
  assert.equal(half.status, 400);
  assert.match(
    String(half.body.message),
    /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: .* \(\{"apiVersion":"v1","kind":"Con \.\.\.\)$/,
  );
  const text = await cluster.ask("POST", maps, { body: "x", headers: { "content-type": "text/plain" } });
  assert.equal(text.status, 415);
  const list = await cluster.ask("POST", maps, { body: [] });
  assert.equal(list.status, 400);
  const large = await cluster.ask("POST", maps, {
    body: { metadata: { name: "l" }, data: { x: "x".repeat(3_200_000) } },
  });
  assert.deepEqual([large.status, large.body.message], [413, "Request entity too large: limit is 3145728"]);
  const unacceptable = await cluster.get(maps, { accept: "application/vnd.kubernetes.protobuf" });
  assert.equal(unacceptable.status, 406);
  const fallback = await cluster.get(maps, {
    accept: "application/vnd.kubernetes.protobuf, application/json",
  });
  assert.equal(fallback.status, 200);
});

test("YAML is read and written where it is asked for", async (t) => {
  const cluster = await TestCluster.start(t);
  const body = 'metadata:\n  name: a\ndata:\n  when: 2024-01-01\n  on: "yes"\n';
  const answer = await cluster.ask("POST", maps, {
    body,
    headers: { "content-type": "application/yaml", accept: "application/yaml" },
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers["content-type"], "application/yaml");
  assert.match(answer.text, /^apiVersion: v1\ndata:\n {2}['"]true['"]: ['"]yes['"]\n/);
});

test("generateName makes different names", async (t) => {
  const cluster = await TestCluster.start(t);
  const names = new Set<unknown>();
  for (let index = 0; index < 5; index += 1)
    names.add(
      at((await cluster.create(maps, { metadata: { generateName: "map-" } })).body, "metadata", "name"),
    );
  assert.equal(names.size, 5);
  for (const name of names) assert.match(String(name), /^map-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("a dry run answers as the write would, and leaves nothing", async (t) => {
  const cluster = await TestCluster.start(t);
  const answer = await cluster.ask("POST", `${maps}?dryRun=All`, { body: { metadata: { name: "a" } } });
  assert.equal(answer.status, 201);
  assert.equal((await cluster.get(`${maps}/a`)).status, 404);
  const unknown = await cluster.ask("POST", `${maps}?dryRun=Foo`, { body: { metadata: { name: "a" } } });
  assert.equal(
    unknown.body.message,
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
  );
});

test("unknown fields are dropped with a warning, or refused where that is asked", async (t) => {
  const cluster = await TestCluster.start(t);
  const body = { metadata: { name: "a" }, datax: { x: "1" } };
  const strict = await cluster.ask("POST", `${maps}?fieldValidation=Strict`, { body });
  assert.deepEqual(
    [strict.status, strict.body.message],
    [
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datax"',
    ],
  );
  const warned = await cluster.ask("POST", maps, { body });
  assert.equal(warned.headers.warning, '299 - "unknown field \\"datax\\""');
  assert.equal(warned.body.datax, undefined);
  const ignored = await cluster.ask("POST", `${maps}?fieldValidation=Ignore`, {
    body: { ...body, metadata: { name: "b" } },
  });
  assert.equal(ignored.headers.warning, undefined);
});

test("an update is refused when made from an old version, and skipped when it changes nothing", async (t) => {
  const cluster = await TestCluster.start(t);
  const created = await cluster.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
  const same = await cluster.ask("PUT", `${maps}/a`, { body: created.body });
  assert.equal(at(same.body, "metadata", "resourceVersion"), at(created.body, "metadata", "resourceVersion"));
  const changed = await cluster.ask("PUT", `${maps}/a`, { body: { ...created.body, data: { x: "2" } } });
  assert.equal(changed.status, 200);
  const old = await cluster.ask("PUT", `${maps}/a`, { body: { ...created.body, data: { x: "3" } } });
  assert.deepEqual(
    [old.status, old.body.message],
    [
      409,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
  );
  const unconditional = await cluster.ask("PUT", `${maps}/a`, {
    body: { metadata: { name: "a" }, data: { x: "4" } },
  });
  assert.equal(at(unconditional.body, "data", "x"), "4");
  const renamed = await cluster.ask("PUT", `${maps}/a`, { body: { metadata: { name: "b" } } });
  assert.deepEqual(
    [renamed.status, renamed.body.message],
    [400, "the name of the object (b) does not match the name on the URL (a)"],
  );
  assert.equal(
    (await cluster.ask("PUT", `${maps}/none`, { body: { metadata: { name: "none" } } })).status,
    404,
  );
});

test("PUT creates those kinds that kube-apiserver creates so", async (t) => {
  const cluster = await TestCluster.start(t);
  const answer = await cluster.ask("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", {
    body: { metadata: { name: "l" }, spec: {} },
  });
  assert.equal(answer.status, 201);
});

test("the four patch types change the same object", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(deployments, deployment("d"));
  const url = `${deployments}/d`;
  const json = await cluster.patch(url, "json", [{ op: "replace", path: "/spec/replicas", value: 1 }]);
  assert.equal(at(json.body, "spec", "replicas"), 1);
  const merge = await cluster.patch(url, "merge", {
    metadata: { labels: { a: "b" } },
    spec: { replicas: 0 },
  });
  assert.equal(at(merge.body, "metadata", "labels", "a"), "b");
  const containers = [{ name: "side", image: "busybox:1" }];
  const strategic = await cluster.patch(url, "strategic", { spec: { template: { spec: { containers } } } });
  assert.equal(at(strategic.body, "spec", "template", "spec", "containers", "length") ?? 2, 2);
  const apply = await cluster.patch(`${url}?fieldManager=me`, "apply", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", labels: { c: "d" } },
  });
  assert.equal(at(apply.body, "metadata", "labels", "c"), "d");
  const generation = at(strategic.body, "metadata", "generation");
  assert.equal(at(apply.body, "metadata", "generation"), generation);
});

test("patches that cannot be are refused", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
  const url = `${maps}/a`;
  assert.equal((await cluster.patch(url, "json", [{ op: "test", path: "/data/x", value: "2" }])).status, 422);
  assert.equal((await cluster.patch(url, "json", [{ op: "remove", path: "/data/zzz" }])).status, 422);
  assert.equal((await cluster.patch(url, "json", {})).status, 400);
  assert.equal((await cluster.patch(url, "merge", { metadata: { name: "b" } })).status, 400);
  assert.equal((await cluster.patch(url, "merge", { metadata: { resourceVersion: "1" } })).status, 409);
  assert.equal((await cluster.ask("PATCH", url, { body: {} })).status, 415);
  assert.equal((await cluster.patch(`${maps}/none`, "merge", {})).status, 404);
  const anonymous = await cluster.patch(url, "apply", { apiVersion: "v1", kind: "ConfigMap" });
  assert.equal(
    anonymous.body.message,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  );
});

test("server-side apply creates, conflicts, forces, and rests when nothing changes", async (t) => {
  const cluster = await TestCluster.start(t);
  const object = (x: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { x },
  });
  const created = await cluster.patch(`${maps}/a?fieldManager=one`, "apply", object("1"));
  assert.equal(created.status, 201);
  const again = await cluster.patch(`${maps}/a?fieldManager=one`, "apply", object("1"));
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, created.body);
  const conflict = await cluster.patch(`${maps}/a?fieldManager=two`, "apply", object("2"));
  assert.deepEqual(
    [conflict.status, conflict.body.message],
    [409, 'Apply failed with 1 conflict: conflict with "one": .data.x'],
  );
  assert.equal(at(conflict.body, "details", "causes", "0", "reason"), "FieldManagerConflict");
  const forced = await cluster.patch(`${maps}/a?fieldManager=two&force=true`, "apply", object("2"));
  assert.equal(at(forced.body, "data", "x"), "2");
});

test("whole numbers beyond 2^53 survive the way in and out", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(deployments, deployment("d"));
  const body = '{"metadata":{"name":"e"},"revision":9007199254740993,"data":{"n":9007199254740995}}';
  const answer = await cluster.ask("POST", "/apis/apps/v1/namespaces/default/controllerrevisions", { body });
  assert.equal(answer.status, 201);
  assert.match(answer.text, /"revision":9007199254740993[,}]/);
  assert.match(answer.text, /"n":9007199254740995[,}]/);
});

test("paths and methods that are not served say so", async (t) => {
  const cluster = await TestCluster.start(t);
  const missing = await cluster.get("/apis/apps/v1/namespaces/default/foos");
  assert.deepEqual(
    [missing.status, missing.body.message],
    [404, "the server could not find the requested resource"],
  );
  assert.equal((await cluster.get("/apis/nope/v1")).text, "404 page not found\n");
  assert.equal((await cluster.get("/api/v1/namespaces/default/pods/x/foo")).status, 404);
  assert.equal((await cluster.get("/apis/apps/v1/deployments/x")).status, 404);
  const put = await cluster.ask("PUT", maps, { body: {} });
  assert.deepEqual(
    [put.status, put.body.message],
    [405, "the server does not allow this method on the requested resource"],
  );
  assert.equal((await cluster.ask("DELETE", "/api/v1/namespaces")).status, 405);
});

test("what is small and means much is refused before it is made", async (t) => {
  const cluster = await TestCluster.start(t);
  await cluster.create(maps, { metadata: { name: "a" }, data: { x: "1" } });
  const doubling = Array.from({ length: 60 }, (_, index) => ({
    op: "copy",
    from: "/data",
    path: `/data/${index}`,
  }));
  const patched = await cluster.patch(`${maps}/a`, "json", doubling);
  assert.equal(patched.status, 413, JSON.stringify(patched.body));
  assert.match(String(at(patched.body, "message")), /patch is too large/);
  const levels = Array.from(
    { length: 12 },
    (_, index) => `l${index + 1}: &l${index + 1} [${Array(9).fill(`*l${index}`).join(", ")}]`,
  );
  const aliases = `metadata: {name: b}\nl0: &l0 [x]\n${levels.join("\n")}\n`;
  const text = (body: string, type: string) => ({ body, headers: { "content-type": type } });
  const yaml = await cluster.ask("POST", maps, text(aliases, "application/yaml"));
  assert.equal(yaml.status, 400, JSON.stringify(yaml.body));
  assert.match(String(at(yaml.body, "message")), /excessive aliasing/);
  const applied = await cluster.send(
    "PATCH",
    `${maps}/b?fieldManager=m`,
    text(aliases, "application/apply-patch+yaml"),
  );
  assert.equal(applied.status, 400, JSON.stringify(applied.body));
  const deep = `{"metadata": {"name": "b"}, "data": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  for (const type of ["application/json", "application/yaml"]) {
    const { status, body } = await cluster.ask("POST", maps, text(deep, type));
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(String(at(body, "message")), /more than 1000 levels/);
  }
  const merged = await cluster.ask("PATCH", `${maps}/a`, text(deep, "application/merge-patch+json"));
  assert.equal(merged.status, 400, JSON.stringify(merged.body));
});
