import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  type GitRepository,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import {
  type ApiAnswer,
  type ApiWorld,
  openApiWorld,
  requestSync,
  untilObject,
} from "@capstan/testkit/worlds";

const server = "https://kubernetes.default.svc";
const secret = "a-secret-of-somebody-else";

describe("what the API shows and changes for an application is bounded by its project", () => {
  let api: ApiWorld;
  let git: GitRepository;
  let foreign: GitRepository;
  before(async () => {
    git = await createGitRepository({ "own/one.yaml": configMapText("one") });
    foreign = await createGitRepository({ "one/plans.yaml": configMapText("plans", secret) });
    api = await openApiWorld();
    const { kube } = api.world;
    for (const name of ["team-a", "victim", "apps"])
      await kube.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, options());
    const argo = { apiVersion: "argoproj.io/v1alpha1" };
    const spec = { sourceRepos: ["*"], destinations: [{ server, namespace: "team-a" }] };
    for (const [name, sourceRepos] of [
      ["team", ["*"]],
      ["bound", [git.url]],
    ] as const)
      await kube.create(
        {
          ...argo,
          kind: "AppProject",
          metadata: { name, namespace: "argocd" },
          spec: { ...spec, sourceRepos },
        },
        options(),
      );
    for (const [namespace, name] of [
      ["victim", "plans"],
      ["team-a", "neighbour"],
    ] as const)
      await kube.create(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { key: secret } },
        options(),
      );
    const destination = { server, namespace: "team-a" };
    const app = sketchApplication({
      name: "own",
      repoURL: git.url,
      path: "own",
      project: "team",
      destination,
    });
    await kube.create({ ...app, spec: { ...Object(app.spec), syncPolicy: {} } }, options());
    await untilApplication(kube, "own", ({ sync }) => sync === "OutOfSync");
    await requestSync(api.world, "own");
    await untilApplication(kube, "own", ({ sync }) => sync === "Synced");
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await foreign[Symbol.asyncDispose]();
  });

  const options = () => ({ signal: AbortSignal.timeout(100_000) });
  const ask = (path: string) => api.request("GET", `/api/v1/applications/${path}`);
  const text = ({ body }: ApiAnswer): string => JSON.stringify(body);
  const plans = { kind: "ConfigMap", version: "v1", namespace: "victim", name: "plans" };
  const neighbour = { ...plans, namespace: "team-a", name: "neighbour" };
  const query = ({ kind, version, namespace, name }: typeof plans) =>
    `kind=${kind}&version=${version}&namespace=${namespace}&resourceName=${name}`;

  async function forge(status: Record<string, unknown>): Promise<void> {
    const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name: "own" };
    await api.world.kube.patch(ref, { type: "merge", body: { status } }, options());
    await untilObject(api.world, ref, (app) => JSON.stringify(app?.status).includes("plans"));
  }

  test("resources that a forged status names are neither shown, patched nor deleted", async () => {
    await forge({
      resources: [plans, neighbour].map((one) => ({ ...one, status: "Synced" })),
      summary: { externalURLs: ["javascript:alert(1)", "https://fine.example"] },
    });
    for (const one of [plans, neighbour]) {
      const shown = await ask(`own/resource?${query(one)}`);
      assert.equal(shown.status, 404);
      const patched = await api.request("POST", `/api/v1/applications/own/resource?${query(one)}`, {
        body: JSON.stringify(JSON.stringify({ data: { key: "changed" } })),
      });
      assert.equal(patched.status, 404);
      const deleted = await api.request("DELETE", `/api/v1/applications/own/resource?${query(one)}`);
      assert.equal(deleted.status, 404);
    }
    const tree = await ask("own/resource-tree");
    assert.doesNotMatch(text(tree), /plans/);
    const shown = await ask("own");
    assert.doesNotMatch(text(shown), /javascript:/);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "victim", name: "plans" };
    assert.deepEqual((await api.world.kube.get(ref, options().signal))?.data, { key: secret });
  });

  test("manifests of the caller's do not bring up what lives under their names", async () => {
    for (const one of [plans, neighbour]) {
      const { name, namespace } = one;
      const manifest = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } });
      const diff = await ask(`own/server-side-diff?targetManifests=${encodeURIComponent(manifest)}`);
      assert.equal(diff.status, 200, text(diff));
      assert.doesNotMatch(text(diff), new RegExp(secret));
      const plan = await api.request("POST", "/api/v1/applications/own/sync-plan", {
        body: { manifests: [manifest] },
      });
      assert.equal(plan.status, 200, text(plan));
      assert.doesNotMatch(text(plan), new RegExp(secret));
    }
    const own = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "one", namespace: "team-a" },
      data: { key: "2" },
    });
    const diff = await ask(`own/server-side-diff?targetManifests=${encodeURIComponent(own)}`);
    assert.match(text(diff), /"modified":true/);
  });

  test("events are those of the application's resources", async () => {
    const involvedObject = { apiVersion: "v1", kind: "ConfigMap", namespace: "victim", name: "plans" };
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "e1", namespace: "victim" } };
    await api.world.kube.create(
      { ...event, involvedObject, message: secret, reason: "Told", type: "Normal" },
      options(),
    );
    const foreign = await ask("own/events?resourceNamespace=victim&resourceName=plans");
    assert.equal(foreign.status, 400);
    const own = await ask("own/events?resourceNamespace=team-a&resourceName=one");
    assert.equal(own.status, 200, text(own));
  });

  test("warnings about its objects stand beside the application's own events, and no neighbour's", async () => {
    const about = async (name: string) => {
      const of = { apiVersion: "v1", kind: "ConfigMap", namespace: "team-a", name };
      const uid = (await api.world.kube.get(of, options().signal))?.metadata.uid;
      const event = { apiVersion: "v1", kind: "Event", metadata: { name: `w-${name}`, namespace: "team-a" } };
      await api.world.kube.create(
        {
          ...event,
          involvedObject: { ...of, uid },
          message: `about ${name}`,
          reason: "Odd",
          type: "Warning",
        },
        options(),
      );
    };
    await about("one");
    await about("neighbour");
    const answer = await ask("own/events?withObjects=true");
    assert.equal(answer.status, 200, text(answer));
    assert.match(text(answer), /about one/);
    assert.doesNotMatch(text(answer), /about neighbour/);
    assert.doesNotMatch(text(await ask("own/events")), /about/, "Argo CD's clients get what they expect");
  });

  test("applications outside of the allowed namespaces have no API", async () => {
    const destination = { server, namespace: "team-a" };
    const app = sketchApplication({
      name: "away",
      repoURL: git.url,
      path: "own",
      project: "team",
      destination,
    });
    await api.world.kube.create({ ...app, metadata: { name: "away", namespace: "apps" } }, options());
    for (const path of [
      "away?appNamespace=apps",
      "away/manifests?appNamespace=apps",
      "away/managed-resources?appNamespace=apps",
      "away/resource-tree?appNamespace=apps",
    ])
      assert.equal((await ask(path)).status, 404, path);
    assert.doesNotMatch(text(await api.request("GET", "/api/v1/applications")), /"away"/);
    const created = await api.request("POST", "/api/v1/applications", {
      body: { ...app, metadata: { name: "other", namespace: "apps" } },
    });
    assert.equal(created.status, 400);
    assert.match(text(created), /application\.namespaces/);
  });

  test("a source that the project forbids is not looked into", async () => {
    const destination = { server, namespace: "team-a" };
    const given = { name: "wide", repoURL: foreign.url, path: "one", project: "bound", destination };
    const app = sketchApplication(given);
    await api.world.kube.create({ ...app, spec: { ...Object(app.spec), syncPolicy: {} } }, options());
    const history = [
      {
        id: 0,
        revision: "main",
        source: { repoURL: foreign.url, path: "one" },
        deployedAt: "2026-01-01T00:00:00Z",
      },
    ];
    await untilApplication(api.world.kube, "wide", ({ conditions }) => conditions.length > 0);
    for (const path of ["manifests", "managed-resources", "server-side-diff", "sync-plan", "explain"]) {
      const answer = await ask(`wide/${path}`);
      assert.ok(answer.status >= 400, `${path}: ${answer.status}`);
      assert.doesNotMatch(text(answer), new RegExp(secret));
    }
    const ref = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      namespace: "argocd",
      name: "wide",
    };
    await api.world.kube.patch(ref, { type: "merge", body: { status: { history } } }, options());
    await untilObject(api.world, ref, (found) => JSON.stringify(found?.status).includes("history"));
    const rollback = await api.request("POST", "/api/v1/applications/wide/rollback", { body: { id: 0 } });
    assert.match(text(rollback), /is not permitted in project/);
    const url = encodeURIComponent(foreign.url);
    for (const path of [`${url}/refs`, `${url}/apps`]) {
      const answer = await api.request("GET", `/api/v1/repositories/${path}?appProject=bound`);
      assert.match(text(answer), /is not permitted in project/, path);
    }
    const details = await api.request("POST", `/api/v1/repositories/${url}/appdetails`, {
      body: { source: { repoURL: foreign.url, path: "one" }, appProject: "bound" },
    });
    assert.match(text(details), /is not permitted in project/);
    const none = await api.request("POST", `/api/v1/repositories/${url}/appdetails`, {
      body: { appProject: "bound" },
    });
    assert.equal(none.status, 400);
  });
});
