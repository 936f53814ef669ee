import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApplicationTree } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  type GitRepository,
  sketchApplication,
  sketchProject,
  untilApplication,
} from "@capstan/testkit";
import { type ApiWorld, applicationRef, openApiWorld } from "@capstan/testkit/worlds";
import type { OutOf, Routes, StreamFrame } from "@capstan/wire";

const server = "https://kubernetes.default.svc";
const limit = () => AbortSignal.timeout(100_000);
const tracking = (app: string, name: string) => ({
  annotations: { "argocd.argoproj.io/tracking-id": `${app}:/ConfigMap:web/${name}` },
});

describe("objects that no application has, as the API shows them", () => {
  let api: ApiWorld;
  let git: GitRepository;

  before(async () => {
    git = await createGitRepository({ "own/a.yaml": configMapText("a"), "other/b.yaml": configMapText("b") });
    api = await openApiWorld();
    await create("v1", "Namespace", { name: "web" });
    await create("v1", "Namespace", { name: "elsewhere" });
    const destinations = [{ server, namespace: "web" }];
    const watching = {
      destinations,
      orphanedResources: { ignore: [{ kind: "ConfigMap", name: "ignored" }] },
      namespaceResourceBlacklist: [{ group: "rbac.authorization.k8s.io", kind: "Role" }],
    };
    await api.world.kube.create(sketchProject("watching", watching), { signal: limit() });
    await api.world.kube.create(sketchProject("other", { destinations }), { signal: limit() });
    for (const [name, project] of [
      ["own", "watching"],
      ["other", "other"],
    ] as const) {
      const destination = { server, namespace: "web" };
      const app = sketchApplication({ name, repoURL: git.url, path: name, project, destination });
      await api.world.kube.create(app, { signal: limit() });
      await untilApplication(api.world.kube, name, ({ sync }) => sync === "Synced");
    }
    const free = await create("v1", "ConfigMap", { name: "free", namespace: "web" });
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "free", uid: free.metadata.uid }];
    await create("v1", "ConfigMap", { name: "below", namespace: "web", ownerReferences });
    await create("v1", "ConfigMap", { name: "left", namespace: "web", ...tracking("gone", "left") });
    await create("v1", "ConfigMap", { name: "ignored", namespace: "web" });
    await create("v1", "ConfigMap", { name: "far", namespace: "elsewhere" });
    await create("rbac.authorization.k8s.io/v1", "Role", { name: "forbidden", namespace: "web" });
    const secret = { name: "hidden", namespace: "web" };
    await api.world.kube.create(
      { apiVersion: "v1", kind: "Secret", metadata: secret, stringData: { key: "a-secret-value" } },
      { signal: limit() },
    );
    await treeWith(({ length }) => length === 4);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  function create(apiVersion: string, kind: string, metadata: object) {
    return api.world.kube.create({ apiVersion, kind, metadata }, { signal: limit() });
  }

  /** Names of the orphans, as soon as they are so: the watch may be a moment behind. */
  async function treeWith(
    isSo: (names: readonly string[]) => boolean,
    act: () => Promise<unknown> = async () => undefined,
  ): Promise<readonly string[]> {
    let hasActed = false;
    const end = new AbortController();
    const answer = await fetch(`${api.url}/api/v1/stream/applications/own/resource-tree`, {
      headers: { authorization: `Bearer ${api.token}` },
      signal: AbortSignal.any([end.signal, limit()]),
    });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of answer.body ?? []) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((one) => one !== "")) {
        const frame: StreamFrame<ApplicationTree> = JSON.parse(line);
        const names = "result" in frame ? (frame.result.orphanedNodes ?? []).map(({ name }) => name) : [];
        if (isSo(names)) return names;
        if (!hasActed) await act();
        hasActed = true;
      }
    }
    throw new Error("the stream ended");
  }

  const resource = (kind: string, name: string, method = "GET") =>
    api.request(
      method,
      `/api/v1/applications/own/resource?kind=${kind}&version=v1&namespace=web&resourceName=${name}`,
    );

  test("the tree holds them with what they own, and the others not", async () => {
    const { body } = await api.request("GET", "/api/v1/applications/own/resource-tree");
    const { nodes = [], orphanedNodes = [] } = body as ApplicationTree;
    assert.deepEqual(
      orphanedNodes.map(({ kind, name, parentRefs }) => [kind, name, parentRefs?.[0]?.name]),
      [
        ["ConfigMap", "free", undefined],
        ["ConfigMap", "left", undefined],
        ["Secret", "hidden", undefined],
        ["ConfigMap", "below", "free"],
      ],
    );
    assert.deepEqual(
      nodes.map(({ name }) => name),
      ["a"],
    );
    const other = await api.request("GET", "/api/v1/applications/other/resource-tree");
    assert.equal((other.body as ApplicationTree).orphanedNodes, undefined, "its project does not watch");
  });

  test("they and every application's own are found in one list, by what they are, page after page", async () => {
    type Found = OutOf<Routes["listResources"]>;
    const find = async (query: string) =>
      (await api.request("GET", `/api/v1/resources?${query}`)).body as Found;
    const names = ({ items }: Found) =>
      items.map(({ name, application }) => `${application.name}/${name}`).sort();
    assert.deepEqual(names(await find("kind=ConfigMap")), [
      "other/b",
      "own/a",
      "own/below",
      "own/free",
      "own/left",
    ]);
    assert.deepEqual(names(await find("orphaned=false")), ["other/b", "own/a"]);
    assert.deepEqual(names(await find("orphaned=true&search=FRE")), ["own/free"]);
    assert.deepEqual(names(await find("project=other&sync=Synced")), ["other/b"]);
    assert.deepEqual(names(await find("image=nginx")), []);
    const first = await find("limit=1&orphaned=false");
    assert.deepEqual(names(first), ["other/b"]);
    const second = await find(`limit=1&orphaned=false&continue=${first.metadata.continue}`);
    assert.deepEqual([names(second), second.metadata.continue], [["own/a"], undefined]);
    const below = (await find("search=below")).items[0];
    assert.deepEqual(
      [below?.isOrphan, below?.owner, below?.application.project],
      [true, "ConfigMap free", "watching"],
    );
    assert.equal((await api.request("GET", "/api/v1/resources?continue=abc")).status, 400);
  });

  test("one is shown and deleted by its application, values of Secrets hidden", async () => {
    const shown = await resource("Secret", "hidden");
    assert.equal(shown.status, 200);
    assert.doesNotMatch(JSON.stringify(shown.body), /a-secret-value|YS1zZWNyZXQtdmFsdWU/);
    assert.equal((await resource("ConfigMap", "below")).status, 200);
    assert.equal((await resource("ConfigMap", "left&orphan=true", "DELETE")).status, 200);
    await treeWith((names) => !names.includes("left"));
  });

  test("what another application has, what is ignored and what the project forbids is not reached", async () => {
    for (const [kind, name] of [
      ["ConfigMap", "b"],
      ["ConfigMap", "ignored"],
      ["ConfigMap", "kube-root-ca.crt"],
      ["Role&group=rbac.authorization.k8s.io", "forbidden"],
    ] as const)
      for (const method of ["GET", "DELETE"]) {
        const { status } = await resource(kind, name, method);
        assert.equal(status, 404, `${method} ${kind} ${name}`);
      }
    const far = `kind=ConfigMap&version=v1&namespace=elsewhere&resourceName=far`;
    assert.equal((await api.request("GET", `/api/v1/applications/own/resource?${far}`)).status, 404);
  });

  test("what an application leaves behind is nobody's in an open tree, too", async () => {
    await treeWith(
      (names) => names.includes("b"),
      () => api.world.kube.delete(applicationRef("other"), { signal: limit() }),
    );
  });
});
