import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);

describe("badges, settings of the page, names of notifications, changes of projects", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const set = (name: string, data: object) =>
    api.world.kube.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "argocd" }, data },
      { fieldManager: "test", force: true, signal: signal() },
    );
  const badge = async (query: string) => {
    const answer = await api.request("GET", `/api/badge?${query}`, { token: null });
    return { status: answer.status, headers: answer.headers, text: String(answer.body) };
  };
  const application = (name: string, project: string, repoURL: string) => ({
    metadata: { name },
    spec: {
      project,
      source: { repoURL, path: "." },
      destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    },
  });
  const wait = (is: () => boolean, what: string) =>
    eventually(() => is() || undefined, { signal: signal(), describe: () => what });

  test("a badge says nothing until it may; then the state of an application or a project", async () => {
    const body = application("web", "default", "https://git.example/x");
    assert.equal((await api.request("POST", "/api/v1/applications?validate=false", { body })).status, 200);
    const [there, absent] = [await badge("name=web"), await badge("name=absent")];
    assert.equal(there.text, absent.text);
    assert.match(there.text, />Unknown</);
    await set("argocd-cm", {
      "statusbadge.enabled": "true",
      "ui.bannercontent": "Hello",
      "ui.bannerurl": "javascript:alert(1)",
      "ui.bannerpermanent": "true",
      "help.chatUrl": "https://chat.example",
      "help.download.linux-amd64": "https://files.example/capstan",
      "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]\n",
      "resource.customizations.health.apps_Deployment": "return {}",
      "resource.customizations.knownTypeFields.example.com_Dummy":
        "- {field: spec.all, type: core/v1/ResourceList}\n- {field: spec.one, type: core/Nothing}\n",
    });
    await wait(() => api.world.settings.current.general.page.badgeEnabled, "badges are not enabled");
    const status = { health: { status: "Degraded" }, sync: { status: "OutOfSync" } };
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "web" };
    await api.world.kube.patch(ref, { type: "merge", body: { status } }, { signal: signal() });
    const shown = await eventually(
      async () => {
        const one = await badge("name=web&showAppName=true&width=300");
        return one.text.includes(">Degraded<") ? one : undefined;
      },
      { signal: signal(), describe: () => "the badge does not change" },
    );
    assert.equal(shown.headers.get("content-type"), "image/svg+xml");
    assert.equal(shown.headers.get("access-control-allow-origin"), "*");
    assert.equal(shown.headers.get("cache-control"), "private, no-store");
    assert.match(shown.text, /^<svg [^>]*width="300" height="40".*>web<.*>OutOfSync</);
    assert.match((await badge("name=absent")).text, />Not Found</);
    assert.match((await badge("project=default")).text, />Degraded<.*>OutOfSync</);
    assert.match((await badge("project=absent")).text, />Unknown</);
    assert.equal((await badge("name=%3Cscript%3E")).status, 400);
  });

  test("settings of the page are live; an address that is none of the web is said and not shown", async () => {
    const { body } = await api.request("GET", "/api/v1/settings");
    assert.ok(isRecord(body));
    assert.equal(body.uiBannerContent, "Hello");
    assert.equal(body.uiBannerPermanent, true);
    assert.equal(body.uiBannerURL, undefined);
    assert.equal(body.statusBadgeEnabled, true);
    assert.deepEqual(body.help, {
      chatUrl: "https://chat.example",
      chatText: "Chat now!",
      binaryUrls: { "linux-amd64": "https://files.example/capstan" },
    });
    const said = api.world.settings.current.problems.find(({ field }) => field === "ui.bannerurl");
    assert.match(said?.problem ?? "", /it is not shown/);
  });

  test("who is logged in gets what compares otherwise, and no scripts", async () => {
    const { body } = await api.request("GET", "/api/v1/settings");
    assert.ok(isRecord(body) && isRecord(body.resourceOverrides));
    const { "apps/Deployment": deployment, "example.com/Dummy": dummy } = body.resourceOverrides;
    assert.ok(isRecord(deployment) && typeof deployment.ignoreDifferences === "string");
    assert.deepEqual(Object.keys(deployment), ["ignoreDifferences"]);
    assert.deepEqual(JSON.parse(deployment.ignoreDifferences).jsonPointers, ["/spec/replicas"]);
    assert.deepEqual(dummy, { knownTypeFields: [{ field: "spec.all", type: "core/v1/ResourceList" }] });
    const said = api.world.settings.current.problems.find(({ field }) => field.includes("knownTypeFields"));
    assert.match(said?.problem ?? "", /^\[1\]: type core\/Nothing is none of core\/v1\/<Type>/);
    const { body: shown } = await api.request("GET", "/api/v1/settings", { token: null });
    assert.ok(isRecord(shown) && !("resourceOverrides" in shown));
  });

  test("the calls are described to anybody, until the operator does not want it", async () => {
    const read = (path: string) => api.request("GET", path, { token: null });
    const { headers, body } = await read("/swagger.json");
    assert.ok(isRecord(body) && isRecord(body.paths));
    assert.ok("/api/v1/applications" in body.paths);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.match(String((await read("/swagger-ui")).body), /ApplicationService_List/);
    await set("argocd-cmd-params-cm", { "server.disable.swagger.ui": "true" });
    await eventually(async () => ((await read("/swagger.json")).status === 404 ? true : undefined), {
      signal: signal(),
      describe: () => "the description is still there",
    });
  });

  test("triggers, templates and services are listed by name", async () => {
    await set("argocd-notifications-cm", {
      "trigger.on-synced": "[]",
      "template.synced": "message: x",
      "service.slack": "token: x",
      "service.webhook.github": "url: https://x.example",
      context: "a: b",
    });
    const names = async (what: string) => (await api.request("GET", `/api/v1/notifications/${what}`)).body;
    assert.deepEqual(await names("triggers"), { items: [{ name: "on-synced" }] });
    assert.deepEqual(await names("templates"), { items: [{ name: "synced" }] });
    assert.deepEqual(await names("services"), { items: [{ name: "github" }, { name: "slack" }] });
  });

  test("a project is not changed so that its applications become invalid", async () => {
    const project = (sourceRepos: string[]) => ({
      project: {
        metadata: { name: "team" },
        spec: { sourceRepos, destinations: [{ server: "*", namespace: "*" }] },
      },
    });
    assert.equal((await api.request("POST", "/api/v1/projects", { body: project(["*"]) })).status, 200);
    const body = application("of-team", "team", "https://git.example/team");
    assert.equal((await api.request("POST", "/api/v1/applications?validate=false", { body })).status, 200);
    const refused = await api.request("PUT", "/api/v1/projects/team", {
      body: project(["https://git.example/other"]),
    });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /1 applications would become invalid: of-team/);
    const narrowed = await api.request("PUT", "/api/v1/projects/team", {
      body: project(["https://git.example/*"]),
    });
    assert.equal(narrowed.status, 200, JSON.stringify(narrowed.body));
  });
});
