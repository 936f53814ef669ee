import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);

describe("links of the settings", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const links = async (path: string) => {
    const { status, body } = await api.request("GET", path);
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(isRecord(body) && Array.isArray(body.items));
    return body.items;
  };

  test("those of applications, projects and resources are made of what is shown, beside those of annotations", async () => {
    const application = [
      {
        title: "Logs",
        url: "https://logs.example/{{ .app.metadata.name }}/{{ .cluster.name }}",
        "icon.class": "fa-x",
      },
      { title: "Hidden", url: "https://x.example/", if: 'application.spec.project == "other"' },
      { title: "Unsafe", url: "javascript:alert(1)" },
      { title: "No project here", url: "https://x.example/{{ .project.metadata.name }}" },
    ];
    const project = [
      { title: "Wiki", url: "https://wiki.example/{{ .project.metadata.name }}", description: "of it" },
    ];
    const resource = [
      {
        title: "Value",
        url: "https://x.example/{{ .resource.data.password }}",
        if: 'resource.kind == "Secret"',
      },
      {
        title: "Of",
        url: "https://x.example/{{ .application.metadata.name }}/{{ .project.metadata.name }}/{{ .resource.metadata.name }}",
      },
    ];
    const data = {
      "application.links": JSON.stringify(application),
      "project.links": JSON.stringify([...project, { title: "no url" }]),
      "resource.links": JSON.stringify(resource),
    };
    await api.world.kube.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm", namespace: "argocd" }, data },
      { fieldManager: "test", force: true, signal: signal() },
    );
    await eventually(() => api.world.settings.current.general.links.application[0], {
      signal: signal(),
      describe: () => "the links are not read",
    });
    const problem = api.world.settings.current.problems.find(({ field }) => field === "project.links");
    assert.match(problem?.problem ?? "", /link 2 has no title or no url/);
    const body = {
      metadata: {
        name: "shop",
        annotations: { "link.argocd.argoproj.io/docs": "Docs|https://docs.example" },
      },
      spec: {
        project: "default",
        source: { repoURL: "https://git.example/x", path: "." },
        destination: { server: "https://kubernetes.default.svc", namespace: "shop" },
      },
    };
    assert.equal((await api.request("POST", "/api/v1/applications?validate=false", { body })).status, 200);
    assert.deepEqual(await links("/api/v1/applications/shop/links"), [
      { title: "Docs", url: "https://docs.example" },
      { title: "Logs", url: "https://logs.example/shop/in-cluster", iconClass: "fa-x" },
    ]);
    assert.deepEqual(await links("/api/v1/projects/default/links"), [
      { title: "Wiki", url: "https://wiki.example/default", description: "of it" },
    ]);
    const tracked = { "argocd.argoproj.io/tracking-id": "shop:/Secret:default/hidden" };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "hidden", namespace: "default", annotations: tracked },
      stringData: { password: "top" },
    };
    await api.world.kube.apply(secret, { fieldManager: "test", force: true, signal: signal() });
    const query = "resourceName=hidden&namespace=default&group=&kind=Secret&version=v1";
    const shown = await eventually(
      async () => {
        const { status, body: answer } = await api.request(
          "GET",
          `/api/v1/applications/shop/resource/links?${query}`,
        );
        return status === 200 && isRecord(answer) ? answer.items : undefined;
      },
      { signal: signal(), describe: () => "the object is not seen" },
    );
    assert.ok(Array.isArray(shown));
    assert.deepEqual(shown.at(-1), { title: "Of", url: "https://x.example/shop/default/hidden" });
    assert.ok(!/top|dG9w/.test(JSON.stringify(shown)), "no value of a Secret");
  });

  test("who may not see an application sees none of its links", async () => {
    const { status } = await api.request("GET", "/api/v1/applications/shop/links", { token: null });
    assert.equal(status, 401);
  });
});
