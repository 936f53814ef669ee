import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { configMapText, createGitRepository, eventually, type GitRepository } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { hash } from "bcryptjs";

const policy = `
p, role:web, applications, get, web/*, allow
p, role:web, applications, sync, web/one, allow
p, role:web, applications, delete, web/one, allow
p, role:web, applications, delete/*/ConfigMap/default/fine, web/two, allow
p, role:web, projects, get, web, allow
p, role:web, clusters, *, web/*, allow
p, role:web, clusters, *, later/*, allow
p, role:web, applicationsets, get, default/*, allow
g, viewer, role:web
`;

describe("rights", () => {
  let api: ApiWorld;
  let git: GitRepository;
  let viewer: string;
  const signal = () => AbortSignal.timeout(100_000);

  before(async () => {
    git = await createGitRepository({ "app/config.yaml": configMapText("config") });
    api = await openApiWorld();
    const { kube } = api.world;
    const patch = (kind: string, name: string, body: object) =>
      kube.patch(
        { apiVersion: "v1", kind, namespace: "argocd", name },
        { type: "merge", body },
        { signal: signal() },
      );
    await patch("ConfigMap", "argocd-cm", { data: { "accounts.viewer": "login" } });
    await patch("ConfigMap", "argocd-rbac-cm", { data: { "policy.csv": policy } });
    await patch("Secret", "argocd-secret", {
      stringData: { "accounts.viewer.password": await hash("viewers", 4) },
    });
    const project = {
      metadata: { name: "web" },
      spec: { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }] },
    };
    assert.equal((await api.request("POST", "/api/v1/projects", { body: { project } })).status, 200);
    for (const [name, inProject] of [
      ["one", "web"],
      ["two", "web"],
      ["hidden", "default"],
    ]) {
      const spec = {
        project: inProject,
        source: { repoURL: git.url, path: "app" },
        destination: { server: "https://kubernetes.default.svc", namespace: "default" },
      };
      const { status, body } = await api.request("POST", "/api/v1/applications", {
        body: { metadata: { name }, spec },
      });
      assert.equal(status, 200, JSON.stringify(body));
    }
    viewer = await eventually(
      async () => {
        const body = { username: "viewer", password: "viewers" };
        const answer = await api.request("POST", "/api/v1/session", { token: null, body });
        return isRecord(answer.body) && typeof answer.body.token === "string" ? answer.body.token : undefined;
      },
      { signal: signal(), describe: () => "the viewer cannot log in" },
    );
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const asViewer = (method: string, path: string, body?: object) =>
    api.request(method, path, { token: viewer, ...(body ? { body } : {}) });

  test("the diff of a set shows what Applications hold to those alone who may see them", async () => {
    const template = {
      metadata: { name: "made" },
      spec: {
        project: "default",
        source: { repoURL: git.url, path: "app" },
        destination: { server: "https://kubernetes.default.svc", namespace: "default" },
      },
    };
    const spec = { generators: [{ list: { elements: [{}] } }], template };
    const applicationSet = { metadata: { name: "set" }, spec };
    const path = "/api/v1/applicationsets";
    assert.equal((await api.request("POST", path, { body: applicationSet })).status, 200);
    const shown = await api.request("POST", `${path}/diff`, { body: { name: "set" } });
    assert.match(JSON.stringify(shown.body), /targetState/);
    const { status, body } = await asViewer("POST", `${path}/diff`, { name: "set" });
    assert.equal(status, 200);
    assert.ok(isRecord(body));
    assert.deepEqual(body.changes, [
      { act: "create", name: "made", namespace: "argocd", project: "default" },
    ]);
    assert.equal((await asViewer("POST", `${path}/diff`, { applicationSet })).status, 403);
    assert.equal((await asViewer("POST", `${path}/set/allow-deletion`, { code: "1" })).status, 403);
  });

  test("a list holds what the caller may see", async () => {
    const list = async (query: string) =>
      (await asViewer("GET", `/api/v1/applications?fields=items.metadata.name${query}`)).body;
    const body = await list("");
    assert.ok(isRecord(body) && isRecord(body.metadata));
    assert.deepEqual(body.items, [{ metadata: { name: "one" } }, { metadata: { name: "two" } }]);
    // Pages are made of what he may see, and so is the count of what is left.
    const first = await list("&limit=1&sort=-name");
    assert.ok(isRecord(first) && isRecord(first.metadata));
    assert.equal(first.metadata.remainingItemCount, 1);
    const second = await list(`&sort=-name&limit=1&continue=${first.metadata.continue}`);
    assert.ok(isRecord(second) && isRecord(second.metadata));
    assert.deepEqual(second.items, [{ metadata: { name: "one" } }]);
    assert.equal(second.metadata.continue, undefined);
    const found = await list("&search=hidden");
    assert.ok(isRecord(found));
    assert.deepEqual(found.items, []);
  });

  test("absent and forbidden cannot be told apart", async () => {
    const absent = await asViewer("GET", "/api/v1/applications/absent");
    const hidden = await asViewer("GET", "/api/v1/applications/hidden");
    assert.equal(absent.status, 403);
    assert.equal(hidden.status, 403);
    assert.equal(JSON.stringify(absent.body).replaceAll("absent", "hidden"), JSON.stringify(hidden.body));
  });

  test("with the project named, an absent one is said to be absent", async () => {
    assert.equal((await asViewer("GET", "/api/v1/applications/absent?project=web")).status, 404);
    assert.equal((await asViewer("GET", "/api/v1/applications/hidden?project=web")).status, 404);
    assert.equal((await asViewer("GET", "/api/v1/applications/hidden?project=default")).status, 403);
  });

  test("what the role permits can be done, the rest cannot", async () => {
    assert.equal((await asViewer("POST", "/api/v1/applications/one/sync", {})).status, 200);
    const refused = await asViewer("POST", "/api/v1/applications/two/sync", {});
    assert.equal(refused.status, 403);
    assert.match(
      JSON.stringify(refused.body),
      /permission denied: applications, sync, web\/two, sub: viewer/,
    );
    for (const [method, path, body] of [
      ["DELETE", "/api/v1/applications/two"],
      ["PATCH", "/api/v1/applications/one", { patch: "{}" }],
      ["POST", "/api/v1/repositories", { repo: git.url }],
      ["DELETE", "/api/v1/projects/web"],
      ["GET", "/api/v1/applications/one/logs"],
    ] as const) {
      assert.equal((await asViewer(method, path, body)).status, 403, `${method} ${path}`);
    }
  });

  const setGeneral = async (data: Record<string, string>) => {
    const { kube, settings } = api.world;
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    await kube.patch(ref, { type: "merge", body: { data } }, { signal: signal() });
    const isRead = () =>
      Object.entries(data).every(([key, value]) => settings.current.general.raw[key] === value);
    await eventually(() => isRead() || undefined, {
      signal: signal(),
      describe: () => "the setting is not read",
    });
  };

  test("the right on an application is none on its objects, unless the settings say so", async () => {
    const remove = async (app: string, name: string) => {
      const query = `namespace=default&resourceName=${name}&version=v1&kind=ConfigMap&group=`;
      return (await asViewer("DELETE", `/api/v1/applications/${app}/resource?${query}`)).status;
    };
    assert.deepEqual([await remove("one", "none"), await remove("two", "fine")], [403, 404]);
    await setGeneral({ "server.rbac.disableApplicationFineGrainedRBACInheritance": "false" });
    assert.deepEqual([await remove("one", "none"), await remove("two", "fine")], [404, 404]);
    assert.equal(await remove("two", "none"), 403);
  });

  test("a rollback takes the right to sync, or its own where the settings say so", async () => {
    const rollback = async () =>
      (await asViewer("POST", "/api/v1/applications/one/rollback", { id: 99 })).status;
    assert.equal(await rollback(), 400);
    await setGeneral({ "server.rbac.rollback.enforce.enable": "true" });
    assert.equal(await rollback(), 403);
  });

  test("another revision than the application follows takes the right to override, where the settings say so", async () => {
    const sync = async (body: object) =>
      (await asViewer("POST", "/api/v1/applications/one/sync", body)).status;
    const other = { revision: "no-such-branch" };
    assert.notEqual(await sync(other), 403);
    await setGeneral({ "application.sync.requireOverridePrivilegeForRevisionSync": "true" });
    assert.deepEqual([await sync(other), await sync({ ...other, dryRun: true })], [403, 403]);
    assert.deepEqual([await sync({ revision: "HEAD" }), await sync({})], [200, 200]);
  });

  test("what a global project forbids is forbidden in those that it chooses; they see these rules of it alone", async () => {
    const syncWindows = [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }];
    const roles = [{ name: "ops", policies: ["p, proj:frozen:ops, applications, get, frozen/*, allow"] }];
    const project = { metadata: { name: "frozen" }, spec: { syncWindows, roles } };
    const added = await api.request("POST", "/api/v1/projects", { body: { project } });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    const entry = { projectName: "frozen", labelSelector: { matchLabels: { freeze: "now" } } };
    await setGeneral({ globalProjects: JSON.stringify([entry]) });
    const details = async () => (await asViewer("GET", "/api/v1/projects/web/detailed")).body;
    const shown = async () => {
      const body = await details();
      return isRecord(body) && Array.isArray(body.globalProjects) ? body.globalProjects : [];
    };
    assert.deepEqual(await shown(), []);
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "AppProject", namespace: "argocd", name: "web" };
    const label = (freeze: string | null) =>
      api.world.kube.patch(
        ref,
        { type: "merge", body: { metadata: { labels: { freeze } } } },
        { signal: signal() },
      );
    await label("now");
    const [global] = await eventually(async () => ((await shown()).length > 0 ? await shown() : undefined), {
      signal: signal(),
      describe: () => "the global project does not choose this one",
    });
    assert.deepEqual(
      [global.metadata, global.spec],
      [{ name: "frozen", namespace: "argocd" }, { syncWindows }],
    );
    const refused = await asViewer("POST", "/api/v1/applications/one/sync", {});
    assert.match(JSON.stringify(refused.body), /blocked by sync window/);
    await label(null);
    await eventually(async () => ((await shown()).length === 0 ? true : undefined), {
      signal: signal(),
      describe: () => "the global project still chooses this one",
    });
    assert.equal((await asViewer("POST", "/api/v1/applications/one/sync", {})).status, 200);
  });

  test("who changed what, and who was refused, is in the log; what was done is among the events", async () => {
    await eventually(
      async () => {
        const { items } = await api.world.kube.list(
          { apiVersion: "v1", kind: "Event", namespace: "argocd" },
          signal(),
        );
        return (
          items.some(({ message, source }) => message === "viewer initiated sync" && isRecord(source)) ||
          undefined
        );
      },
      { signal: signal(), describe: () => "no event tells of the sync" },
    );
    const told = (app: string, result: string) =>
      new RegExp(
        `audit: 'syncApplication',\\s+user: 'viewer',[^}]*\\{ name: '${app}' \\},\\s+result: '${result}'`,
      );
    assert.match(api.logged(), told("one", "OK"));
    assert.match(api.logged(), told("two", "RIGHT_MISSING"));
  });

  test("can-i says so beforehand", async () => {
    const ask = async (action: string, object: string) =>
      (await asViewer("GET", `/api/v1/account/can-i/applications/${action}/${encodeURIComponent(object)}`))
        .body;
    assert.deepEqual(await ask("sync", "web/one"), { value: "yes" });
    assert.deepEqual(await ask("sync", "web/two"), { value: "no" });
  });

  test("a project that is in use, and the default one, stay", async () => {
    const used = await api.request("DELETE", "/api/v1/projects/web");
    assert.equal(used.status, 400);
    assert.match(JSON.stringify(used.body), /is used by 2 applications: one, two/);
    assert.equal((await api.request("DELETE", "/api/v1/projects/default")).status, 400);
  });

  test("a project that its own rules forbid to an application is named", async () => {
    const project = {
      metadata: { name: "narrow" },
      spec: { sourceRepos: ["https://elsewhere.example/*"], destinations: [] },
    };
    assert.equal((await api.request("POST", "/api/v1/projects", { body: { project } })).status, 200);
    const spec = {
      project: "narrow",
      source: { repoURL: git.url, path: "app" },
      destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    };
    const { status, body } = await api.request("POST", "/api/v1/applications", {
      body: { metadata: { name: "out" }, spec },
    });
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /application repo file:\S+ is not permitted in project 'narrow'/);
  });

  test("a list of projects by a name has the one of that name", async () => {
    const named = async (query: string) => {
      const { body } = await api.request("GET", `/api/v1/projects?fields=items.metadata.name&${query}`);
      return JSON.stringify(isRecord(body) ? body.items : body);
    };
    assert.equal(await named("name=narrow"), '[{"metadata":{"name":"narrow"}}]');
    assert.equal(await named("name=nobodys"), "[]");
    assert.match(await named("name="), /"default".*"narrow".*"web"/);
  });

  test("of a project's repository, which is not tried when it is added, nobody says that it is reached", async () => {
    const body = { repo: "https://nowhere.invalid/app.git", project: "web" };
    const added = await api.request("POST", "/api/v1/repositories", { body });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    assert.deepEqual(added.body, { repo: body.repo, type: "git", project: "web" });
  });

  test("repositories are tried before they are added, and shown without their secrets", async () => {
    const add = (repo: object) => api.request("POST", "/api/v1/repositories", { body: repo });
    const wrong = await add({ repo: "file:///no/such/place", password: "very-secret" });
    assert.ok(wrong.status >= 400);
    assert.ok(!JSON.stringify(wrong.body).includes("very-secret"));
    const added = await add({ repo: git.url, username: "me", password: "very-secret" });
    assert.equal(added.status, 200, JSON.stringify(added.body));
    const found = await eventually(
      async () => {
        const { body } = await api.request("GET", "/api/v1/repositories");
        return JSON.stringify(body).includes(git.url) ? JSON.stringify(body) : undefined;
      },
      { signal: signal(), describe: () => "the repository is not listed" },
    );
    assert.ok(!found.includes("very-secret"));
    assert.match(found, /"username":"me".*"connectionState":\{"status":"Successful"/);
    const encoded = encodeURIComponent(git.url);
    assert.equal(
      (await api.request("GET", `/api/v1/repositories/${encodeURIComponent(encoded)}`)).status,
      200,
    );
    assert.equal((await api.request("DELETE", `/api/v1/repositories/${encoded}`)).status, 200);
  });

  test("a tenant gives the own cluster his project and a name while nobody else uses it, and nothing more", async () => {
    const server = "https://kubernetes.default.svc";
    const claim = (more: object = {}) =>
      asViewer("POST", "/api/v1/clusters?upsert=true", { server, name: "mine", project: "web", ...more });
    const statusOf = async (asked: Promise<{ status: number }>) => (await asked).status;
    assert.equal(await statusOf(claim()), 403, "an application of another project goes there");
    const used = await api.request("DELETE", "/api/v1/applications/hidden?cascade=false");
    assert.equal(used.status, 200, JSON.stringify(used.body));
    const isGone = async () => (await api.request("GET", "/api/v1/applications/hidden")).status === 404;
    await eventually(async () => (await isGone()) || undefined, {
      signal: signal(),
      describe: () => "the application stays",
    });
    for (const more of [
      { namespaces: ["web"] },
      { clusterResources: true },
      { config: { bearerToken: "x" } },
      { labels: { a: "b" } },
      { project: undefined },
    ])
      assert.equal(await statusOf(claim(more)), 403, JSON.stringify(more));
    const config = { tlsClientConfig: { insecure: false } };
    const claimed = await claim({ config });
    assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
    const known = () => api.world.settings.current.clusters.find((one) => one.server === server);
    await eventually(() => known()?.project, {
      signal: signal(),
      describe: () => "the cluster is not known",
    });
    assert.equal(await statusOf(claim({ config })), 200, "the same again");
    assert.equal(await statusOf(claim({ namespaces: ["web"] })), 403);
    const mine = "/api/v1/clusters/mine?id.type=name";
    const narrowed = asViewer("PUT", `${mine}&updatedFields=namespaces`, { namespaces: ["web"] });
    assert.equal(await statusOf(narrowed), 403);
    const renamed = asViewer("PUT", `${mine}&updatedFields=labels`, { labels: { a: "b" } });
    assert.equal(await statusOf(renamed), 200);
    assert.equal(await statusOf(api.request("DELETE", mine)), 200);
  });

  test("the own cluster is a project's by name alone that was not there when a tenant claimed it", async () => {
    const server = "https://kubernetes.default.svc";
    const known = () => api.world.settings.current.clusters.find((one) => one.server === server);
    const until = (isByName: boolean | undefined) =>
      eventually(async () => known()?.isByName === isByName || undefined, {
        signal: signal(),
        describe: () => JSON.stringify(known()),
      });
    await until(undefined);
    const claim = () =>
      asViewer("POST", "/api/v1/clusters?upsert=true", { server, name: "mine", project: "later" });
    assert.equal((await claim()).status, 403, "an application of another project goes there");
    const names = async () => {
      const { body } = await api.request("GET", "/api/v1/applications?fields=items.metadata.name");
      return [...JSON.stringify(body).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
    };
    for (const name of await names())
      await api.request("DELETE", `/api/v1/applications/${name}?cascade=false`);
    await eventually(async () => (await names()).length === 0 || undefined, {
      signal: signal(),
      describe: () => "an application stays",
    });
    const claimed = await claim();
    assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
    await until(true);
    const mine = "/api/v1/clusters/mine?id.type=name&updatedFields=annotations&updatedFields=labels";
    const change = { annotations: { a: "b" }, labels: { a: "b" } };
    assert.equal((await asViewer("PUT", mine, change)).status, 200);
    await eventually(async () => known()?.labels.a, { signal: signal(), describe: () => "no label" });
    assert.equal(known()?.isByName, true, "a tenant cannot make more of it");
    assert.equal((await claim()).status, 200);
    const changed = await api.request("PUT", mine, { body: change });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    await until(false);
  });
});
