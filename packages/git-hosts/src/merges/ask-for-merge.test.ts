/** Requests to merge: what each host is asked, request by request, as its documentation has it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type HostReply,
  type HostRequest,
  type HostServer,
  realClock,
  startHostServer,
} from "@capstan/testkit";
import { askForMerge, HostCalls, type HostCredential, type HostKind, mergesFor } from "../index.ts";
import type { MergeWish } from "./ask-for-merge.ts";

let server: HostServer;
before(async () => {
  server = await startHostServer(() => undefined);
});
after(() => server[Symbol.asyncDispose]());

interface Stored {
  readonly number: number;
  state: "open" | "merged" | "closed";
  title: string;
  body: string;
  sha: string;
  /** Of somebody else's copy of the repository. */
  readonly isFork?: boolean;
}

interface Scene {
  readonly kind: HostKind;
  readonly credential: HostCredential;
  readonly header: readonly [string, string];
  readonly of: MergeWish["of"];
  readonly find: string;
  readonly create: string;
  readonly created: object;
  readonly change: string;
  readonly changed: object;
  /** One of a list. */
  shown(stored: Stored): object;
  list(shown: readonly object[]): unknown;
}

const sha = (digit: string) => digit.repeat(40);
const token: HostCredential = { kind: "token", token: "s3cret" };
const password: HostCredential = { kind: "basic", username: "ann", password: "s3cret" };
const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const repository = (isFork = false) => (isFork ? 2 : 1);
const array = (shown: readonly object[]) => shown;

const scenes: Readonly<Record<string, Scene>> = {
  GitHub: {
    kind: "github",
    credential: token,
    header: ["authorization", "Bearer s3cret"],
    of: { owner: "acme", name: "web" },
    find: "GET /api/v3/repos/acme/web/pulls?head=acme%3Abot%2Fx&base=main&state=all&per_page=100",
    create: "POST /api/v3/repos/acme/web/pulls",
    created: { title: "one", head: "bot/x", base: "main", body: "more" },
    change: "PATCH /api/v3/repos/acme/web/pulls/1",
    changed: { title: "two", body: "more" },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      number,
      state: state === "open" ? "open" : "closed",
      merged_at: state === "merged" ? "2026-01-01T00:00:00Z" : null,
      title,
      head: { ref: "bot/x", sha: at, repo: { id: repository(isFork) } },
      base: { ref: "main", repo: { id: 1 } },
    }),
    list: array,
  },
  GitLab: {
    kind: "gitlab",
    credential: token,
    header: ["private-token", "s3cret"],
    of: { owner: "acme/team", name: "web" },
    find: "GET /api/v4/projects/acme%2Fteam%2Fweb/merge_requests?source_branch=bot%2Fx&target_branch=main&state=all&per_page=100",
    create: "POST /api/v4/projects/acme%2Fteam%2Fweb/merge_requests",
    created: {
      source_branch: "bot/x",
      target_branch: "main",
      title: "one",
      description: "more",
      remove_source_branch: true,
      labels: "bot,image",
    },
    change: "PUT /api/v4/projects/acme%2Fteam%2Fweb/merge_requests/1",
    changed: { title: "two", description: "more" },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      id: 900 + number,
      iid: number,
      state: state === "open" ? "opened" : state,
      title,
      sha: at,
      source_project_id: repository(isFork),
      target_project_id: 1,
    }),
    list: array,
  },
  Gitea: {
    kind: "gitea",
    credential: password,
    header: ["authorization", encoded("ann:s3cret")],
    of: { owner: "acme", name: "web" },
    find: "GET /api/v1/repos/acme/web/pulls?state=all&sort=recentupdate&limit=50&page=1",
    create: "POST /api/v1/repos/acme/web/pulls",
    created: { title: "one", head: "bot/x", base: "main", body: "more", labels: [7] },
    change: "PATCH /api/v1/repos/acme/web/pulls/1",
    changed: { title: "two", body: "more" },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      number,
      state: state === "open" ? "open" : "closed",
      merged: state === "merged",
      title,
      head: { ref: "bot/x", sha: at, repo_id: repository(isFork) },
      base: { ref: "main", repo_id: 1 },
    }),
    list: array,
  },
  "Bitbucket Cloud": {
    kind: "bitbucket",
    credential: password,
    header: ["authorization", encoded("ann:s3cret")],
    of: { owner: "acme", name: "web" },
    find: `GET /repositories/acme/web/pullrequests?${new URLSearchParams([
      ["q", 'source.branch.name = "bot/x" AND destination.branch.name = "main"'],
      ["sort", "-created_on"],
      ["pagelen", "50"],
      ...["OPEN", "MERGED", "DECLINED", "SUPERSEDED"].map((state) => ["state", state]),
    ])}`,
    create: "POST /repositories/acme/web/pullrequests",
    created: {
      title: "one",
      description: "more",
      source: { branch: { name: "bot/x" } },
      destination: { branch: { name: "main" } },
      close_source_branch: true,
    },
    change: "PUT /repositories/acme/web/pullrequests/1",
    changed: { title: "two", description: "more" },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      id: number,
      state: state === "open" ? "OPEN" : state === "merged" ? "MERGED" : "DECLINED",
      title,
      source: { commit: { hash: at.slice(0, 12) }, repository: { full_name: `r/${repository(isFork)}` } },
      destination: { repository: { full_name: "r/1" } },
    }),
    list: (values) => ({ values }),
  },
  "Bitbucket Server": {
    kind: "bitbucketServer",
    credential: token,
    header: ["authorization", "Bearer s3cret"],
    of: { owner: "PRJ", name: "web" },
    find: "GET /rest/api/1.0/projects/PRJ/repos/web/pull-requests?at=refs%2Fheads%2Fbot%2Fx&direction=OUTGOING&state=ALL&order=NEWEST&limit=100",
    create: "POST /rest/api/1.0/projects/PRJ/repos/web/pull-requests",
    created: {
      title: "one",
      description: "more",
      fromRef: { id: "refs/heads/bot/x", repository: { slug: "web", project: { key: "PRJ" } } },
      toRef: { id: "refs/heads/main", repository: { slug: "web", project: { key: "PRJ" } } },
    },
    change: "PUT /rest/api/1.0/projects/PRJ/repos/web/pull-requests/1",
    changed: { version: 4, title: "two", description: "more", reviewers: [{ user: { name: "eve" } }] },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      id: number,
      version: 4,
      state: state === "open" ? "OPEN" : state === "merged" ? "MERGED" : "DECLINED",
      title,
      reviewers: [{ user: { name: "eve" } }],
      fromRef: { id: "refs/heads/bot/x", latestCommit: at, repository: { id: repository(isFork) } },
      toRef: { id: "refs/heads/main", repository: { id: 1 } },
    }),
    list: (values) => ({ values, isLastPage: true }),
  },
  "Azure DevOps": {
    kind: "azureDevOps",
    credential: token,
    header: ["authorization", encoded(":s3cret")],
    of: { owner: "acme/shop", name: "web" },
    find: "GET /acme/shop/_apis/git/repositories/web/pullrequests?searchCriteria.sourceRefName=refs%2Fheads%2Fbot%2Fx&searchCriteria.targetRefName=refs%2Fheads%2Fmain&searchCriteria.status=all&%24top=100&api-version=7.1",
    create: "POST /acme/shop/_apis/git/repositories/web/pullrequests?api-version=7.1",
    created: {
      sourceRefName: "refs/heads/bot/x",
      targetRefName: "refs/heads/main",
      title: "one",
      description: "more",
      labels: [{ name: "bot" }, { name: "image" }],
    },
    change: "PATCH /acme/shop/_apis/git/repositories/web/pullrequests/1?api-version=7.1",
    changed: { title: "two", description: "more" },
    shown: ({ number, state, title, sha: at, isFork }) => ({
      pullRequestId: number,
      status: state === "open" ? "active" : state === "merged" ? "completed" : "abandoned",
      title,
      lastMergeSourceCommit: { commitId: at },
      ...(isFork ? { forkSource: { name: "refs/heads/bot/x" } } : {}),
    }),
    list: (value) => ({ value }),
  },
};

const giteaLabels = "GET /api/v1/repos/acme/web/labels?limit=50&page=1";
const githubLabels = "POST /api/v3/repos/acme/web/issues/1/labels";

/** A host that keeps what it is told; `refusal`: of a request to open one, which somebody else has opened just then. */
function speak(scene: Scene, stored: Stored[], refusal?: number) {
  return (request: HostRequest): HostReply | undefined => {
    const query = request.query.size > 0 ? `?${request.query}` : "";
    const line = `${request.method} ${request.path}${query}`;
    const answered = () => scene.list(stored.toReversed().map((one) => scene.shown(one)));
    if (request.headers[scene.header[0]] !== scene.header[1]) return { status: 401, body: {} };
    if (line === scene.find) return { body: answered() };
    if (line === giteaLabels) return { body: [{ id: 7, name: "bot" }] };
    if (line === githubLabels) return { status: 403, body: {} };
    if (line === scene.create) {
      const made: Stored = {
        number: stored.length + 1,
        state: "open",
        title: "one",
        body: "",
        sha: sha("a"),
      };
      stored.push(made);
      return refusal === undefined ? { status: 201, body: scene.shown(made) } : { status: refusal, body: {} };
    }
    if (line === scene.change) return { body: {} };
    return undefined;
  };
}

function asker(scene: Scene) {
  const calls = new HostCalls(realClock);
  const { kind, credential, of } = scene;
  const api = server.url;
  const host = mergesFor(kind, { api, credential, guarded: false, calls });
  const wish: MergeWish = {
    of,
    head: "bot/x",
    base: "main",
    title: "one",
    body: "more",
    labels: ["bot", "image"],
    revision: sha("a"),
    isNew: true,
  };
  return (more: Partial<MergeWish> = {}) => {
    server.asked.length = 0;
    server.requests.length = 0;
    return askForMerge(host, { calls, wish: { ...wish, ...more } }, AbortSignal.timeout(20_000));
  };
}

const bodies = (method: string) =>
  server.requests.filter((one) => one.method === method).map(({ body }) => JSON.parse(body));

for (const [name, scene] of Object.entries(scenes))
  describe(name, () => {
    const createdWith = [
      ...(name === "Gitea" ? [giteaLabels] : []),
      scene.create,
      ...(name === "GitHub" ? [githubLabels] : []),
    ];
    const method = scene.change.split(" ")[0] ?? "";

    test("one request is opened, found again, and changed with the next commit", async () => {
      const stored: Stored[] = [];
      server.speak(speak(scene, stored));
      const ask = asker(scene);
      const first = await ask();
      assert.deepEqual([first.outcome, first.number], ["opened", 1]);
      assert.deepEqual(server.asked, [scene.find, ...createdWith]);
      assert.deepEqual(bodies("POST")[0], scene.created);
      const lacks = /label/.test(first.lacks ?? "");
      assert.equal(lacks, name !== "GitLab" && name !== "Azure DevOps");
      assert.deepEqual(await ask({ isNew: false }), { outcome: "open", number: 1 });
      assert.deepEqual(server.asked, [scene.find]);
      assert.deepEqual(await ask({ title: "two", revision: sha("b") }), { outcome: "changed", number: 1 });
      assert.deepEqual(server.asked, [scene.find, scene.change]);
      assert.deepEqual(bodies(method), [scene.changed]);
      assert.equal(stored.length, 1);
    });

    test("what was merged or closed stays so, until there is another commit; a fork's is somebody else's", async () => {
      const ended = (state: Stored["state"], isFork = false): Stored[] => [
        { number: 1, state, title: "one", body: "", sha: sha("a"), isFork },
      ];
      const ask = asker(scene);
      for (const [state, outcome] of [
        ["merged", "merged"],
        ["closed", "declined"],
      ] as const) {
        server.speak(speak(scene, ended(state)));
        assert.deepEqual(await ask(), { outcome, number: 1 });
        assert.deepEqual(server.asked, [scene.find]);
      }
      server.speak(speak(scene, ended("closed")));
      assert.equal((await ask({ revision: sha("b"), labels: [] })).outcome, "opened");
      server.speak(speak(scene, ended("open", true)));
      const own = await ask({ labels: [] });
      assert.deepEqual([own.outcome, own.number], ["opened", 2]);
    });

    test("where somebody else was faster, his is it; what the host refuses is told", async () => {
      const ask = asker(scene);
      server.speak(speak(scene, [], 409));
      assert.deepEqual(await ask({ labels: [] }), { outcome: "open", number: 1 });
      assert.deepEqual(server.asked, [scene.find, scene.create, scene.find]);
      server.speak((request) =>
        request.method === "GET" ? { body: scene.list([]) } : { status: 403, body: { message: "s3cret" } },
      );
      await assert.rejects(ask({ labels: [] }), (error: Error) => {
        assert.match(error.message, /answers 403: the credential has no right to this/);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    });
  });
