import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { ApplicationTree, Manifest } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  eventually,
  type GitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld, openSecondCluster } from "@capstan/testkit/worlds";
import type { ApplicationWatchEvent, StreamFrame } from "@capstan/wire";

const signal = () => AbortSignal.timeout(60_000);
const metadata = { namespace: "argocd" };

/** Changes after which the state of the own cluster is another one. */
const changes: readonly [string, Manifest][] = [
  [
    "kinds are excluded, Applications among them",
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...metadata, name: "argocd-cm" },
      data: {
        "resource.exclusions": "- apiGroups: [argoproj.io, batch]\n  kinds: ['*']\n  clusters: ['*']\n",
      },
    },
  ],
  [
    "the own cluster gets a Secret that leaves the control namespace out",
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        ...metadata,
        name: "own-cluster",
        labels: { "argocd.argoproj.io/secret-type": "cluster" },
      },
      stringData: {
        name: "own",
        server: "https://kubernetes.default.svc",
        namespaces: "first,second,third",
        clusterResources: "true",
        config: "{}",
      },
    },
  ],
];

describe("settings that open the own cluster anew", () => {
  let api: ApiWorld;
  let git: GitRepository;
  const created = ["first", "second", "third"];

  const create = async () => {
    const name = created.shift() ?? assert.fail("no name is left");
    await api.world.kube.create(sketchApplication({ name, repoURL: git.url, path: "app" }), {
      signal: signal(),
    });
    return name;
  };

  before(async () => {
    git = await createGitRepository({ "app/one.yaml": configMapText("one") });
    api = await openApiWorld();
    await untilApplication(api.world.kube, await create(), isSettled);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  async function* frames<T>(path: string, end: AbortSignal): AsyncIterable<T> {
    const headers = { authorization: `Bearer ${api.token}` };
    const answer = await fetch(api.url + path, { headers, signal: AbortSignal.any([end, signal()]) });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of answer.body ?? []) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const frame: StreamFrame<T> | undefined = line === "" ? undefined : JSON.parse(line);
        if (frame && "result" in frame) yield frame.result;
      }
    }
  }

  for (const [name, change] of changes)
    test(`${name}: lists, answers, streams and webhooks go on`, async () => {
      const end = new AbortController();
      const tree = frames<ApplicationTree>("/api/v1/stream/applications/first/resource-tree", end.signal);
      const trees = tree[Symbol.asyncIterator]();
      const applications = frames<ApplicationWatchEvent>("/api/v1/stream/applications", end.signal);
      const events = applications[Symbol.asyncIterator]();
      assert.equal((await trees.next()).done, false);
      assert.equal((await events.next()).done, false);
      const before = api.world.clusters.open();
      await api.world.kube.apply(change, { fieldManager: "test", force: true, signal: signal() });
      await eventually(() => (api.world.clusters.open()[0] !== before[0] ? true : undefined), {
        signal: signal(),
        describe: () => "the cluster is the same",
      });
      const app = await create();
      await untilApplication(api.world.kube, app, isSettled);
      await listed(app);
      const refreshed = await api.request("GET", `/api/v1/applications/${app}?refresh=normal`);
      assert.equal(refreshed.status, 200);
      for (let event = await events.next(); !event.done; event = await events.next())
        if (event.value.application.metadata.name === app) break;
      await pushed(app);
      const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "first", name: "extra" };
      // It stays: the application prunes by itself what is not in its folder.
      const annotations = {
        "argocd.argoproj.io/sync-options": "Prune=false",
        "argocd.argoproj.io/tracking-id": `first:/ConfigMap:first/extra-${app}`,
      };
      await api.world.kube.create(
        { ...ref, metadata: { namespace: "first", name: `extra-${app}`, annotations } },
        { signal: signal() },
      );
      for (let next = await trees.next(); !next.done; next = await trees.next())
        if (next.value.nodes?.some((node) => node.name === `extra-${app}`)) break;
      end.abort();
    });

  test("an application gets another destination: its tree's stream follows what happens there", async () => {
    await using second = await openSecondCluster(api.world.kube, "east");
    const { kube } = second;
    const end = new AbortController();
    const tree = frames<ApplicationTree>("/api/v1/stream/applications/second/resource-tree", end.signal);
    const trees = tree[Symbol.asyncIterator]();
    assert.equal((await trees.next()).done, false);
    const body = { spec: { destination: { server: null, name: "east", namespace: "second" } } };
    const application = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: "second" };
    await api.world.kube.patch(
      { ...application, ...metadata },
      { type: "merge", body },
      { signal: signal() },
    );
    const one = { apiVersion: "v1", kind: "ConfigMap", namespace: "second", name: "one" };
    const parent = await eventually(() => kube.get(one, signal()), {
      signal: signal(),
      describe: () => "nothing is deployed over there",
    });
    await untilApplication(api.world.kube, "second", isSettled);
    await api.world.controller.idle();
    const skip = { metadata: { annotations: { "argocd.argoproj.io/skip-reconcile": "true" } } };
    await api.world.kube.patch(
      { ...application, ...metadata },
      { type: "merge", body: skip },
      { signal: signal() },
    );
    await api.world.controller.idle();
    // Nothing of these stands in the Application: only the new cluster tells of them, of the second for sure.
    const { apiVersion, kind, metadata: owner } = parent;
    const ownerReferences = [{ apiVersion, kind, name: "one", uid: owner.uid ?? "" }];
    for (const name of ["child", "second-child"]) {
      const child = { apiVersion, kind, metadata: { namespace: "second", name, ownerReferences } };
      await kube.create(child, { signal: signal() });
      for (let next = await trees.next(); !next.done; next = await trees.next())
        if (next.value.nodes?.some((node) => node.name === name)) break;
    }
    end.abort();
  });

  async function listed(app: string): Promise<void> {
    const { body } = await api.request("GET", "/api/v1/applications");
    assert.ok(isRecord(body) && Array.isArray(body.items));
    assert.ok(body.items.some((item: Manifest) => item.metadata.name === app));
  }

  /** A webhook finds the application, and the commit gets there. */
  async function pushed(app: string): Promise<void> {
    const revision = await git.commit({ "app/one.yaml": configMapText("one", `for ${app}`) });
    const body = {
      ref: "refs/heads/main",
      before: "",
      after: revision,
      repository: { html_url: git.url, default_branch: "main" },
      commits: [{ added: [], removed: [], modified: ["app/one.yaml"] }],
    };
    const headers = { "x-github-event": "push" };
    assert.equal((await api.request("POST", "/api/webhook", { body, headers, token: null })).status, 200);
    await api.idle();
    await untilApplication(api.world.kube, app, (view) => view.revision === revision);
  }
});
