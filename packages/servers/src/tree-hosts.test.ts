import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);

describe("hosts in the tree", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const apply = (object: Parameters<ApiWorld["world"]["kube"]["apply"]>[0]) =>
    api.world.kube.apply(object, { fieldManager: "test", force: true, signal: signal() });
  const podOf = (app: string, cpu: string) =>
    apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `pod-of-${app}`,
        namespace: "default",
        annotations: { "argocd.argoproj.io/tracking-id": `${app}:/Pod:default/pod-of-${app}` },
      },
      spec: { containers: [{ name: "main", image: "x", resources: { requests: { cpu } } }] },
    });
  const hosts = async (app: string) => {
    const { body } = await api.request("GET", `/api/v1/applications/${app}/resource-tree`);
    return isRecord(body) && Array.isArray(body.hosts) ? body.hosts.filter(isRecord) : [];
  };

  test("nodes of the application's own Pods, with the labels that the settings allow", async () => {
    for (const app of ["own", "other"]) {
      const destination = { server: "https://kubernetes.default.svc", namespace: "default" };
      const source = { repoURL: "https://git.example/x", path: "." };
      const body = { metadata: { name: app }, spec: { project: "default", source, destination } };
      assert.equal((await api.request("POST", "/api/v1/applications?validate=false", { body })).status, 200);
    }
    assert.deepEqual(await hosts("own"), []);
    await podOf("own", "100m");
    await podOf("other", "30m");
    const data = { "application.allowedNodeLabels": "kubernetes.io/hostname, not a label,absent" };
    await apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "argocd-cm", namespace: "argocd" },
      data,
    });
    const [host] = await eventually(
      async () => {
        const found = await hosts("own");
        return isRecord(found[0]?.labels) && "kubernetes.io/hostname" in found[0].labels ? found : undefined;
      },
      { signal: signal(), describe: () => "the tree tells of no node with its label" },
    );
    const labels = { "kubernetes.io/hostname": host?.name };
    assert.deepEqual(host?.labels, labels);
    const resources = Array.isArray(host?.resourcesInfo) ? host.resourcesInfo.filter(isRecord) : [];
    const cpu = resources.find(({ resourceName }) => resourceName === "cpu");
    assert.equal(cpu?.requestedByApp, 100);
    assert.ok(Number(cpu?.requestedByNeighbors) >= 30 && Number(cpu?.capacity) > 130, JSON.stringify(cpu));
    const { problems } = api.world.settings.current;
    assert.match(JSON.stringify(problems), /\\"not a label\\" is no key of a label/);
  });
});
