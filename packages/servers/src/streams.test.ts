import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import type { ApplicationTree } from "@capstan/model";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  type GitRepository,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld, untilObject } from "@capstan/testkit/worlds";
import { type ApplicationWatchEvent, type StreamFrame, type TreeChange, withTreeChange } from "@capstan/wire";

describe("streams and webhooks", () => {
  let api: ApiWorld;
  let git: GitRepository;
  const signal = () => AbortSignal.timeout(100_000);

  before(async () => {
    git = await createGitRepository({
      "one/config.yaml": configMapText("config"),
      "two/web.yaml": deploymentText("web"),
    });
    api = await openApiWorld();
    for (const name of ["one", "two"]) {
      await api.world.kube.create(sketchApplication({ name, repoURL: git.url, path: name }), {
        signal: signal(),
      });
      await untilApplication(
        api.world.kube,
        name,
        ({ sync, health }) => sync === "Synced" && health === "Healthy",
      );
    }
    await api.world.controller.idle();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  /** Lines of a stream, until the test is done with them. */
  async function* frames<T>(path: string, end: AbortSignal): AsyncIterable<T> {
    const answer = await fetch(api.url + path, {
      headers: { authorization: `Bearer ${api.token}` },
      signal: AbortSignal.any([end, signal()]),
    });
    assert.equal(answer.status, 200);
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of answer.body ?? []) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "") continue;
        const frame: StreamFrame<T> = JSON.parse(line);
        if ("result" in frame) yield frame.result;
      }
    }
  }

  const label = (name: string, value: string) =>
    api.world.kube.patch(
      { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name },
      { type: "merge", body: { metadata: { labels: { mark: value } } } },
      { signal: signal() },
    );

  test("a stream begins with what there is and goes on with changes", async () => {
    using end = endable();
    const seen: string[] = [];
    for await (const { type, application } of frames<ApplicationWatchEvent>(
      "/api/v1/stream/applications",
      end.signal,
    )) {
      const { name, labels } = application.metadata;
      seen.push(`${type} ${name}`);
      if (seen.length === 2) await label("two", "changed");
      if (labels?.mark === "changed") break;
    }
    assert.deepEqual(seen.slice(0, 2).sort(), ["ADDED one", "ADDED two"]);
    assert.equal(seen.at(-1), "MODIFIED two");
  });

  test("who waits for a deletion hears of it also when it was done before", async () => {
    using end = endable();
    const address = "/api/v1/applications/gone";
    const app = sketchApplication({ name: "gone", repoURL: git.url, path: "one" });
    await api.request("POST", "/api/v1/applications?validate=false", { body: app });
    await api.request("DELETE", `${address}?cascade=false`);
    await eventually(async () => (await api.request("GET", address)).status === 404 || undefined, {
      signal: signal(),
      describe: () => "the application is still there",
    });
    for await (const event of frames<ApplicationWatchEvent>(
      "/api/v1/stream/applications?name=gone",
      end.signal,
    )) {
      assert.equal(event.type, "DELETED");
      assert.equal(event.application.metadata.name, "gone");
      break;
    }
  });

  test("who watches one that was deleted and made again is told of no deletion", async () => {
    using end = endable();
    const address = "/api/v1/applications/again";
    const body = sketchApplication({ name: "again", repoURL: git.url, path: "one" });
    const create = () => api.request("POST", "/api/v1/applications?validate=false", { body });
    await create();
    await api.request("DELETE", `${address}?cascade=false`);
    const isMade = async () => (await create()).status === 200 || undefined;
    await eventually(async () => (await api.request("GET", address)).status === 404 || undefined, {
      signal: signal(),
      describe: () => "the application is still there",
    });
    await eventually(isMade, { signal: signal(), describe: () => "the application is not made again" });
    const path = "/api/v1/stream/applications?name=again";
    for await (const { type } of frames<ApplicationWatchEvent>(path, end.signal)) {
      assert.equal(type, "ADDED");
      break;
    }
    await api.request("DELETE", `${address}?cascade=false`);
  });

  test("from a list's resource version on only changes come, cut to fields", async () => {
    using end = endable();
    const list = await api.request("GET", "/api/v1/applications");
    assert.ok(isRecord(list.body) && isRecord(list.body.metadata));
    const since = String(list.body.metadata.resourceVersion);
    const query = `resourceVersion=${since}&fields=result.type,result.application.metadata.name`;
    const events = frames<ApplicationWatchEvent>(`/api/v1/stream/applications?${query}`, end.signal);
    // Whether the change comes before the stream is open or after, it is told, and as a change.
    const labelled = label("one", "again");
    for await (const event of events) {
      // The controller may write about the other one meanwhile, and what ended about then is told again.
      if (event.application.metadata.name !== "one") continue;
      assert.deepEqual(event, { type: "MODIFIED", application: { metadata: { name: "one" } } });
      break;
    }
    await labelled;
  });

  test("the tree is sent as it is, and again when an object in it changes", async () => {
    using end = endable();
    let trees = 0;
    for await (const tree of frames<ApplicationTree>(
      "/api/v1/stream/applications/two/resource-tree",
      end.signal,
    )) {
      trees += 1;
      const kinds = (tree.nodes ?? []).map(({ kind }) => kind);
      if (trees === 1) {
        assert.ok(
          ["Deployment", "ReplicaSet", "Pod"].every((kind) => kinds.includes(kind)),
          kinds.join(),
        );
        const query = "resourceName=web&namespace=two&group=apps&kind=Deployment&version=v1";
        const path = `/api/v1/applications/two/resource/actions?${query}`;
        assert.equal((await api.request("POST", path, { body: '"restart"' })).status, 200);
      }
      if (kinds.filter((kind) => kind === "ReplicaSet").length === 2) break;
    }
    assert.ok(trees > 1);
  });

  test("changes of a tree are the same tree: first all of it, then what is otherwise", async () => {
    using end = endable();
    let tree: ApplicationTree | undefined;
    let largest = 0;
    for await (const change of frames<TreeChange>(
      "/api/v1/stream/applications/two/resource-tree/changes",
      end.signal,
    )) {
      if (tree) {
        assert.equal(change.tree, undefined, "the whole is told once");
        largest = Math.max(largest, change.nodes?.changed.length ?? 0);
      } else {
        // Not one more restart: a second one within a second writes the same time, and changes nothing.
        const pod = change.tree?.nodes?.find(({ kind }) => kind === "Pod");
        assert.ok(pod, "the tree has a Pod");
        const ref = { apiVersion: "v1", kind: "Pod", namespace: "two", name: pod.name };
        await api.world.kube.delete(ref, { signal: signal() });
      }
      tree = withTreeChange(tree, change);
      if (largest > 0) break;
    }
    // What one deletion changes may come in one piece, and be most of so small a tree.
    assert.ok(tree && largest <= (tree.nodes?.length ?? 0));
  });

  test("a stream that may not be read is refused as any call", async () => {
    const answer = await api.request("GET", "/api/v1/stream/applications", { token: null });
    assert.equal(answer.status, 401);
  });

  test("a push reaches the cluster, and only the application whose files changed is rendered", async () => {
    const rendered = () => api.world.log.filter(({ message }) => message === "rendered").length;
    const before = rendered();
    await git.commit({ "one/config.yaml": configMapText("config", "pushed") });
    const body = {
      ref: "refs/heads/main",
      before: "1".repeat(40),
      after: "2".repeat(40),
      commits: [{ modified: ["one/config.yaml"] }],
      repository: { clone_url: git.url, default_branch: "main" },
    };
    const headers = { "x-github-event": "push" };
    assert.equal((await api.request("POST", "/api/webhook", { token: null, body, headers })).status, 200);
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "one", name: "config" };
    await untilObject(api.world, ref, (object) => isRecord(object?.data) && object.data.key === "pushed");
    await api.idle();
    await untilRevision("two");
    assert.equal(rendered() - before, 1);
  });

  /** The application whose files did not change learns the new revision all the same. */
  async function untilRevision(name: string): Promise<void> {
    const revision = await git.git("rev-parse", "HEAD");
    await untilApplication(api.world.kube, name, (view) => view.revision === revision);
  }

  test("a push with a wrong secret changes nothing", async () => {
    const { kube } = api.world;
    const secret = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
    const patch = { stringData: { "webhook.github.secret": "s3cret" } };
    await kube.patch(secret, { type: "merge", body: patch }, { signal: signal() });
    const push = () =>
      api.request("POST", "/api/webhook", {
        token: null,
        body: { ref: "refs/heads/main", repository: { clone_url: git.url, default_branch: "main" } },
        headers: { "x-github-event": "push", "x-hub-signature-256": "sha256=00" },
      });
    const refusal = async () => {
      const answer = await push();
      return answer.status === 401 ? answer : undefined;
    };
    const answer = await eventually(refusal, { signal: signal(), describe: () => "the push is not refused" });
    assert.match(String(answer.body), /its secret does not match/);
  });

  test("logs come line by line, of one Pod or of all, with a last message", async () => {
    const lines: { content: string; podName: string; last: boolean }[] = [];
    using end = endable();
    const path = "/api/v1/applications/two/logs?kind=Deployment&group=apps&resourceName=web";
    for await (const line of frames<(typeof lines)[number]>(path, end.signal)) lines.push(line);
    assert.equal(lines.at(-1)?.last, true);
    assert.match(lines[0]?.content ?? "", /simulated/);
    assert.match(lines[0]?.podName ?? "", /^web-/);
    const filtered: unknown[] = [];
    for await (const line of frames(`${path}&filter=nothing-says-this`, end.signal)) filtered.push(line);
    assert.equal(filtered.length, 1);
    // As argocd app logs asks, which names no limit.
    const unlimited: typeof lines = [];
    for await (const line of frames<(typeof lines)[number]>(`${path}&sinceSeconds=0&tailLines=0`, end.signal))
      unlimited.push(line);
    assert.deepEqual(unlimited, lines);
    const ofKind: typeof lines = [];
    const named = path.replace("&group=apps", "");
    for await (const line of frames<(typeof lines)[number]>(named, end.signal)) ofKind.push(line);
    assert.deepEqual(ofKind, lines);
    const ofOther: unknown[] = [];
    for await (const line of frames(`${named}&group=batch`, end.signal)) ofOther.push(line);
    assert.deepEqual(ofOther, []);
  });
});

function endable(): { signal: AbortSignal } & Disposable {
  const end = new AbortController();
  return { signal: end.signal, [Symbol.dispose]: () => end.abort() };
}
