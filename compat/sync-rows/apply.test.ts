import assert from "node:assert/strict";
import { test } from "node:test";
import { configMapText, deploymentText, untilApplication } from "@capstan/testkit";
import { configMapRef, readObject, refresh } from "@capstan/testkit/worlds";
import { limit, marks, type Place, placeIn, shareWorld, sync } from "./place.ts";

const world = shareWorld();
const rbac = "rbac.authorization.k8s.io/v1";
const isSynced = ({ sync: status }: { sync: string }) => status === "Synced";

async function push({ git, name }: Place, files: Record<string, string>): Promise<void> {
  const revision = await git.commit(files);
  await refresh(world(), name);
  await untilApplication(world().kube, name, (view) => view.revision === revision);
}

for (const method of ["true", "false"])
  test(`roles and bindings take the rules and subjects of git, applied with ServerSideApply=${method}`, async () => {
    const name = `roles-${method}`;
    const syncOptions = ["CreateNamespace=true", `ServerSideApply=${method}`];
    const role = (verbs: string[]) =>
      JSON.stringify({
        apiVersion: rbac,
        kind: "Role",
        metadata: { name: "reader" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }],
      });
    const binding = (...names: string[]) =>
      JSON.stringify({
        apiVersion: rbac,
        kind: "RoleBinding",
        metadata: { name: "reader" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: names.map((one) => ({ kind: "ServiceAccount", name: one, namespace: name })),
      });
    const files = { "app/role.yaml": role(["get", "list"]), "app/binding.yaml": binding("a", "b") };
    await using there = await placeIn(world())(name, files, { spec: { syncPolicy: { syncOptions } } });
    assert.equal((await sync(there, { syncOptions })).phase, "Succeeded");
    await push(there, { "app/role.yaml": role(["get"]), "app/binding.yaml": binding("b") });
    assert.equal((await sync(there, { syncOptions })).phase, "Succeeded");
    await untilApplication(world().kube, name, isSynced);
    const ref = { apiVersion: rbac, namespace: name, name: "reader" };
    const live = await readObject(world(), { ...ref, kind: "Role" });
    assert.deepEqual(live?.rules, [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }]);
    const bound = await readObject(world(), { ...ref, kind: "RoleBinding" });
    assert.deepEqual(bound?.subjects, [{ kind: "ServiceAccount", name: "b", namespace: name }]);
  });

test("what cannot be changed in place is refused, and made anew by force", async () => {
  const labelled = (app: string, options: Record<string, string> = {}) => {
    const text = deploymentText("web", marks(options));
    return text.replaceAll("{app: web}", `{app: ${app}}`);
  };
  await using there = await placeIn(world())("forced", { "app/web.yaml": labelled("one") });
  assert.equal((await sync(there)).phase, "Succeeded");
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "forced", name: "web" };
  const first = (await readObject(world(), deployment))?.metadata.uid;
  await push(there, { "app/web.yaml": labelled("two") });
  const refused = await sync(there);
  assert.equal(refused.phase, "Failed");
  assert.match(refused.message, /immutable/);
  await push(there, { "app/web.yaml": labelled("two", { "sync-options": "Force=true" }) });
  assert.equal((await sync(there)).phase, "Succeeded");
  const now = await readObject(world(), deployment);
  assert.notEqual(now?.metadata.uid, first);
  assert.deepEqual(Object(now?.spec).selector, { matchLabels: { app: "two" } });
});

test("Replace takes away what others wrote, and keeps a Namespace and a CRD", async () => {
  const namespace = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "replaced-in", ...marks({ "sync-options": "Replace=true,Force=true" }) },
  };
  await using there = await placeIn(world())("replaced", {
    "app/one.yaml": configMapText("one", "1", marks({ "sync-options": "Replace=true" })),
    "app/namespace.yaml": JSON.stringify(namespace),
  });
  assert.equal((await sync(there)).phase, "Succeeded");
  const uid = async () =>
    (await readObject(world(), { apiVersion: "v1", kind: "Namespace", name: "replaced-in" }))?.metadata.uid;
  const before = await uid();
  const map = configMapRef("replaced", "one");
  const body = { data: { others: "theirs" } };
  await world().kube.patch(map, { type: "merge", body }, { signal: limit() });
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.deepEqual((await readObject(world(), map))?.data, { key: "1" });
  assert.equal(await uid(), before);
});

test("what kubectl applied is taken over, and a field that left git goes", async () => {
  const data = { key: "1", former: "kubectl's" };
  const annotation = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data });
  const metadata = {
    name: "one",
    namespace: "adopted",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": `${annotation}\n` },
  };
  await world().kube.create(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "adopted" } },
    { signal: limit() },
  );
  await world().kube.create(
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
    { signal: limit(), fieldManager: "kubectl-client-side-apply" },
  );
  await using there = await placeIn(world())("adopted", { "app/one.yaml": configMapText("one") });
  assert.equal((await sync(there)).phase, "Succeeded");
  assert.deepEqual((await readObject(world(), configMapRef("adopted", "one")))?.data, { key: "1" });
});

test("an unknown field is refused unless nothing is validated", async () => {
  const odd = (options: Record<string, string>) =>
    deploymentText("odd", marks(options)).replace("  replicas: 1", "  replicas: 1\n  unheardOf: 1");
  await using there = await placeIn(world())("odd", { "app/odd.yaml": odd({}) });
  const refused = await sync(there);
  assert.equal(refused.phase, "Failed");
  assert.match(refused.message, /unheardOf/);
  await push(there, { "app/odd.yaml": odd({ "sync-options": "Validate=false" }) });
  const { phase, message } = await sync(there);
  assert.equal(phase, "Succeeded", message);
});
