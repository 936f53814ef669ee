import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import {
  githubApi,
  type HostApi,
  type HostedSketch,
  type HostServer,
  realClock,
  startHostServer,
  stoppedClock,
} from "@capstan/testkit";
import { HostCalls, hostFor } from "./index.ts";

const sketch: HostedSketch = {
  owner: "acme",
  token: "s3cret",
  repositories: [
    {
      name: "web",
      id: 11,
      defaultBranch: "main",
      topics: ["prod"],
      branches: [
        { name: "main", sha: "a".repeat(40), files: ["deploy/prod/app.yaml"] },
        { name: "feature/x y", sha: "b".repeat(40) },
      ],
      pulls: [
        {
          number: 3,
          title: "More",
          author: "ann",
          branch: "feature/x y",
          target: "main",
          sha: "b".repeat(40),
          labels: ["preview", "a"],
        },
        { number: 4, title: "Less", author: "bob", branch: "z", target: "main", sha: "c".repeat(40) },
      ],
    },
    {
      name: "old",
      id: 12,
      defaultBranch: "main",
      isArchived: true,
      branches: [{ name: "main", sha: "d".repeat(40) }],
    },
    { name: "empty", id: 13 },
  ],
};

let server: HostServer;
before(async () => {
  server = await startHostServer(githubApi(sketch));
});
after(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.speak(githubApi(sketch));
  server.asked.length = 0;
});

function open({ token = "s3cret", calls = new HostCalls(realClock) } = {}) {
  const settings = { api: server.url, credential: { kind: "token", token }, guarded: false, calls } as const;
  return hostFor("github", settings);
}
const look = (notBeforeMs = Date.now()) => ({ signal: AbortSignal.timeout(20_000), notBeforeMs });
const base = "GET /api/v3";

test("repositories of an organization come with what a template needs, page by page", async () => {
  server.speak(githubApi(sketch, { pageSize: 2 }));
  const found = await open().listRepositories({ owner: "acme" }, look());
  assert.deepEqual(found[0], {
    organization: "acme",
    name: "web",
    key: "web",
    id: "11",
    sshUrl: "git@github.example:acme/web.git",
    httpsUrl: "https://github.example/acme/web.git",
    defaultBranch: "main",
    isArchived: false,
    labels: ["prod"],
  });
  assert.deepEqual(
    found.map(({ name, isArchived }) => [name, isArchived]),
    [
      ["web", false],
      ["old", true],
      ["empty", false],
    ],
  );
  assert.deepEqual(server.asked, [
    `${base}/orgs/acme/repos?per_page=100`,
    `${base}/orgs/acme/repos?per_page=100&page=2`,
  ]);
  const last = server.requests.at(-1)?.headers;
  assert.equal(last?.authorization, "Bearer s3cret");
  assert.equal(last?.accept, "application/vnd.github+json");
});

test("branches: the default one, all, and none of an empty repository", async () => {
  const host = open();
  const [web, , empty] = await host.listRepositories({ owner: "acme" }, look());
  assert.ok(web && empty);
  assert.deepEqual(await host.listBranches(web, false, look()), [{ name: "main", sha: "a".repeat(40) }]);
  assert.deepEqual(
    (await host.listBranches(web, true, look())).map(({ name }) => name),
    ["main", "feature/x y"],
  );
  assert.deepEqual(await host.listBranches(empty, false, look()), []);
});

test("a path is there as a file or as a folder of that branch", async () => {
  const host = open();
  const [web] = await host.listRepositories({ owner: "acme" }, look());
  assert.ok(web);
  const has = (path: string, name = "main") => host.hasPath(web, { branch: { name, sha: "" }, path }, look());
  assert.equal(await has("deploy/prod"), true);
  assert.equal(await has("deploy/prod/app.yaml"), true);
  assert.equal(await has("deploy/x"), false);
  assert.equal(await has("deploy/prod", "feature/x y"), false);
  assert.equal(server.asked.at(-1), `${base}/repos/acme/web/contents/deploy/prod?ref=feature%2Fx+y`);
});

test("open pull requests that have all labels; of no repository: undefined", async () => {
  const found = await open().listPullRequests(
    { owner: "acme", name: "web" },
    { labels: ["preview"] },
    look(),
  );
  assert.deepEqual(found, [
    {
      number: 3,
      title: "More",
      author: "ann",
      branch: "feature/x y",
      targetBranch: "main",
      headSha: "b".repeat(40),
      labels: ["preview", "a"],
    },
  ]);
  assert.equal(await open().listPullRequests({ owner: "acme", name: "none" }, {}, look()), undefined);
});

test("what was answered after a time is not asked for again, and later only whether it still holds", async () => {
  const calls = new HostCalls(realClock);
  const start = Date.now();
  await open({ calls }).listRepositories({ owner: "acme" }, look(start));
  await open({ calls }).listRepositories({ owner: "acme" }, look(start));
  assert.equal(server.asked.length, 1);
  await new Promise((resolve) => setTimeout(resolve, 2));
  const again = await open({ calls }).listRepositories({ owner: "acme" }, look());
  assert.equal(again.length, 3);
  assert.equal(server.asked.length, 2);
  assert.match(String(server.requests.at(-1)?.headers["if-none-match"]), /^W\//);
  await assert.rejects(
    open({ calls, token: "other" }).listRepositories({ owner: "acme" }, look(start)),
    /answers 401/,
  );
});

const faults: Readonly<Record<string, { api: HostApi; says: RegExp }>> = {
  "half a page": { api: () => ({ body: '[{"id": 1, "na' }), says: /something that is no JSON/ },
  "a second page that fails": {
    api: (request) =>
      request.query.get("page") === "2"
        ? { status: 502, body: "bad gateway" }
        : githubApi(sketch, { pageSize: 1 })(request),
    says: /answers 502/,
  },
  "pages without an end": {
    api: ({ query }) => ({
      headers: { link: `<https://x/?page=${Number(query.get("page") ?? 1) + 1}>; rel="next"` },
      body: [],
    }),
    says: /more than 500 pages/,
  },
  "the same page again": {
    api: () => ({ headers: { link: '<https://x/?page=2>; rel="next"' }, body: [] }),
    says: /a page of its list twice/,
  },
  "something else than a list": { api: () => ({ body: { message: "s3cret" } }), says: /no list/ },
  "a list of other things": { api: () => ({ body: [{ name: "x" }] }), says: /owner.login is missing/ },
  "no such organization": { api: () => undefined, says: /knows no organization acme/ },
  "a refused credential": {
    api: () => ({ status: 401, body: { message: "s3cret" } }),
    says: /credential is missing or does not count/,
  },
  "a huge answer": { api: () => ({ body: "x".repeat(17 * 2 ** 20) }), says: /larger than/ },
  "a redirect elsewhere": {
    api: () => ({ status: 302, headers: { location: "http://localhost:1/api/v3/orgs/acme/repos" } }),
    says: /another host, and is not followed/,
  },
};
for (const [name, { api, says }] of Object.entries(faults))
  test(`${name}: nothing is listed, and no message holds the token`, async () => {
    server.speak(api);
    const error: unknown = await open()
      .listRepositories({ owner: "acme" }, look())
      .catch((problem: unknown) => problem);
    assert.ok(error instanceof Error);
    assert.match(error.message, says);
    assert.doesNotMatch(error.message, /s3cret/);
  });

test("a listener that throws is reported, and the answer comes and is told of once", async () => {
  server.speak(githubApi(sketch));
  const reported: unknown[] = [];
  const calls = new HostCalls(realClock, {}, (error) => reported.push(error));
  const told: number[] = [];
  calls.onCall(() => {
    throw new Error("not today");
  });
  calls.onCall(({ status }) => told.push(status));
  assert.equal((await open({ calls }).listRepositories({ owner: "acme" }, look())).length, 3);
  assert.deepEqual(new Set(told), new Set([200]));
  assert.equal(reported.length, told.length);
});

test("a host that wants to be left alone is not asked before the time that it names, whatever is asked", async () => {
  const clock = stoppedClock(Date.parse("2026-01-01T00:00:00Z"));
  const calls = new HostCalls(clock);
  const reset = Date.parse("2026-01-01T00:10:00Z") / 1000;
  server.speak(() => ({
    status: 403,
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) },
    body: { message: "API rate limit exceeded" },
  }));
  const ask = () => open({ calls }).listRepositories({ owner: "acme" }, look(clock.now()));
  await assert.rejects(ask(), /not asked again before 2026-01-01T00:10:00.000Z/);
  server.speak(githubApi(sketch));
  await assert.rejects(ask(), /not asked again before 2026-01-01T00:10:00.000Z/);
  assert.equal(server.asked.length, 1);
  // Whoever else the host knows is not held up by it.
  await assert.rejects(
    open({ calls, token: "other" }).listRepositories({ owner: "acme" }, look()),
    /answers 401/,
  );
  await clock.advance(600_000);
  assert.equal((await ask()).length, 3);
});

test("a GitHub App asks with a token of its installation, which it finds and keeps", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let issued = 0;
  server.speak((request) => {
    const { path, method, headers } = request;
    const proof = String(headers.authorization ?? "").replace("Bearer ", "");
    const [head = "", claims = "", signature = ""] = proof.split(".");
    const isProof = () =>
      verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, "base64url"));
    if (path === "/api/v3/orgs/acme/installation") return isProof() ? { body: { id: 77 } } : { status: 401 };
    if (path === "/api/v3/app/installations/77/access_tokens") {
      if (method !== "POST" || !isProof()) return { status: 401 };
      issued += 1;
      return {
        status: 201,
        body: { token: "s3cret", expires_at: new Date(Date.now() + 3_600_000).toISOString() },
      };
    }
    return githubApi(sketch)(request);
  });
  const key = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const calls = new HostCalls(realClock);
  const credential = { kind: "githubApp", id: "5", privateKey: key } as const;
  const host = hostFor("github", { api: server.url, credential, guarded: false, calls });
  assert.equal((await host.listRepositories({ owner: "acme" }, look())).length, 3);
  assert.equal((await host.listPullRequests({ owner: "acme", name: "web" }, {}, look()))?.length, 2);
  assert.equal(issued, 1);
});

test("an address of a stranger that leads to this machine is not asked", async () => {
  const settings = { api: server.url, guarded: true, calls: new HostCalls(realClock) };
  const host = hostFor("github", settings);
  await assert.rejects(host.listRepositories({ owner: "acme" }, look()), /an address of this machine/);
  assert.equal(server.asked.length, 0);
});
