import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  eventually,
  type GitRepository,
  sketchProject,
  untilApplication,
} from "@capstan/testkit";
import {
  type ApiWorld,
  applicationRef,
  openApiWorld,
  readObject,
  untilOperation,
} from "@capstan/testkit/worlds";

const limit = () => AbortSignal.timeout(100_000);

describe("what a request for a sync may be, and what it becomes", () => {
  let api: ApiWorld;
  let git: GitRepository;
  before(async () => {
    git = await createGitRepository({ "app/one.yaml": configMapText("one") });
    api = await openApiWorld();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const post = (path: string, body: unknown = {}) =>
    api.request("POST", `/api/v1/applications${path === "" ? "" : `/${path}`}`, { body });

  /** Not compared and not synced by anybody: what is asked for stays as it is. */
  async function create(name: string, syncPolicy: object, more: object = {}): Promise<void> {
    const source = { repoURL: git.url, path: "app", targetRevision: "main" };
    const destination = { server: "https://kubernetes.default.svc", namespace: name };
    const spec = { project: "default", source, destination, syncPolicy, ...more };
    const annotations = { "argocd.argoproj.io/skip-reconcile": "true" };
    const answer = await post("", { metadata: { name, annotations }, spec });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
  const operationOf = async (name: string) =>
    Object((await readObject(api.world, applicationRef(name)))?.operation);

  test("options of a request take the place of the application's, and so do its retries", async () => {
    const own = { syncOptions: ["CreateNamespace=true", "PruneLast=true"], retry: { limit: 7 } };
    await create("plain", own);
    assert.equal((await post("plain/sync")).status, 200);
    const plain = await operationOf("plain");
    assert.deepEqual(plain.sync.syncOptions, own.syncOptions);
    assert.deepEqual([plain.retry.limit, plain.sync.prune ?? false], [7, false]);
    await create("asked", own);
    const asked = { syncOptions: { items: ["Replace=true"] }, retryStrategy: { limit: 1 }, prune: true };
    assert.equal((await post("asked/sync", asked)).status, 200);
    const { sync, retry } = await operationOf("asked");
    assert.deepEqual([sync.syncOptions, sync.prune, retry.limit], [["Replace=true"], true, 1]);
    await create("without", {});
    assert.equal((await post("without/sync")).status, 200);
    const without = await operationOf("without");
    assert.deepEqual([without.retry?.limit ?? 0, without.sync.syncOptions ?? []], [0, []]);
  });

  test("a second operation is refused while one is under way", async () => {
    await create("busy", {});
    assert.equal((await post("busy/sync")).status, 200);
    const second = await post("busy/sync");
    assert.equal(second.status, 400);
    assert.match(JSON.stringify(second.body), /another operation is already in progress/);
  });

  test("beside automated sync nobody syncs another revision or goes back", async () => {
    await create("followed", { automated: {} });
    const other = await post("followed/sync", { revision: "main~1" });
    assert.equal(other.status, 400);
    assert.match(JSON.stringify(other.body), /while automated sync follows main/);
    const back = await post("followed/rollback", { id: 0 });
    assert.equal(back.status, 400);
    assert.match(JSON.stringify(back.body), /automated sync is on/);
    assert.equal((await post("followed/sync", { revision: "main" })).status, 200);
  });

  test("a window is asked by the API before a sync, and by the controller of each operation", async () => {
    const syncWindows = [{ kind: "deny", schedule: "* * * * *", duration: "1h", applications: ["*"] }];
    await api.world.kube.create(sketchProject("closed", { syncWindows }), { signal: limit() });
    await eventually(
      async () => (await api.request("GET", "/api/v1/projects/closed")).status === 200 || undefined,
      { signal: limit(), describe: () => "the project is not known" },
    );
    await create("shut", {}, { project: "closed" });
    const refused = await post("shut/sync");
    assert.equal(refused.status, 403, JSON.stringify(refused.body));
    assert.match(JSON.stringify(refused.body), /sync window/);
    const body = { metadata: { annotations: null }, operation: { sync: {} } };
    await api.world.kube.patch(applicationRef("shut"), { type: "merge", body }, { signal: limit() });
    await untilApplication(
      api.world.kube,
      "shut",
      ({ phase, message }) => phase === "Running" && message.includes("blocked by sync window"),
    );
    assert.equal((await api.request("DELETE", "/api/v1/applications/shut/operation")).status, 200);
    assert.equal((await untilOperation(api.world, "shut")).phase, "Failed");
  });

  test("a deletion that leaves the objects takes the finalizer away first", async () => {
    await create("leaving", {});
    const finalizers = ["resources-finalizer.argocd.argoproj.io"];
    const body = { metadata: { finalizers } };
    await api.world.kube.patch(applicationRef("leaving"), { type: "merge", body }, { signal: limit() });
    const begun = api.world.requests.length;
    const answer = await api.request("DELETE", "/api/v1/applications/leaving?cascade=false");
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const written = api.world.requests
      .slice(begun)
      .filter(({ method, url }) => method !== "GET" && url.includes("/applications/leaving"))
      .map(({ method }) => method);
    assert.deepEqual([written.at(0) === "DELETE", written.at(-1)], [false, "DELETE"]);
    await eventually(
      async () => (await readObject(api.world, applicationRef("leaving"))) === undefined || undefined,
      { signal: limit(), describe: () => "it is still there" },
    );
  });

  test("consent to a prune is none to a deletion that is asked for afterwards", async () => {
    const consented = formatTime(Date.now());
    const ahead = formatTime(Date.now() + 3_600_000);
    const annotate = (name: string, value: string) => {
      const annotations = { [annotationKeys.deletionApproved]: value };
      // Another's finalizer keeps what is deleted there to be looked at.
      const body = { metadata: { annotations, finalizers: ["example.com/held"] } };
      return api.world.kube.patch(applicationRef(name), { type: "merge", body }, { signal: limit() });
    };
    const remove = async (name: string) => {
      const { status, body } = await api.request("DELETE", `/api/v1/applications/${name}?cascade=false`);
      assert.equal(status, 200, JSON.stringify(body));
      const { metadata } = (await readObject(api.world, applicationRef(name))) ?? {};
      assert.notEqual(metadata?.deletionTimestamp, undefined);
      return metadata?.annotations?.[annotationKeys.deletionApproved];
    };
    await create("consented", {});
    await annotate("consented", consented);
    assert.equal(await remove("consented"), undefined);
    await annotate("consented", consented);
    assert.equal(await remove("consented"), consented, "a deletion under way keeps its own");
    await create("ahead", {});
    await annotate("ahead", ahead);
    assert.equal(await remove("ahead"), ahead, "a time that is to come was meant for later");
  });
});
