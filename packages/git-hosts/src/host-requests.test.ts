/** Hosts beside GitHub: which requests are made, in which order, and what is read of what their documentation shows. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type HostReply, type HostServer, realClock, startHostServer } from "@capstan/testkit";
import { type GitHost, HostCalls, type HostCredential, type HostKind, hostFor } from "./index.ts";

let server: HostServer;
before(async () => {
  server = await startHostServer(() => undefined);
});
after(() => server[Symbol.asyncDispose]());

const look = () => ({ signal: AbortSignal.timeout(20_000), notBeforeMs: Date.now() });
const sha = (digit: string) => digit.repeat(40);

interface Scene {
  readonly kind: HostKind;
  readonly credential: HostCredential;
  /** Sent with every request. */
  readonly header: readonly [string, string];
  /** By "/path?query"; whatever else is asked is a mistake. */
  readonly routes: Readonly<Record<string, HostReply>>;
  readonly ask: (host: GitHost) => Promise<unknown>;
  readonly wanted: unknown;
}

const token: HostCredential = { kind: "token", token: "s3cret" };
const password: HostCredential = { kind: "basic", username: "ann", password: "s3cret" };
const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

/** Repositories, with branches as they are wanted and whether each branch has two paths. */
async function survey(host: GitHost, owner: string, all: boolean): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const one of await host.listRepositories({ owner }, look())) {
    const branches = await host.listBranches(one, all, look());
    const [branch] = branches;
    const has = async (path: string) => branch && (await host.hasPath(one, { branch, path }, look()));
    const { organization, name, id, sshUrl, httpsUrl, labels } = one;
    const paths = [await has("a b/c"), await has("none")];
    rows.push([organization, name, id, sshUrl, httpsUrl, labels.join(), branches, ...paths]);
  }
  return rows;
}

const gitlabProject = {
  id: 7,
  path: "web",
  namespace: { full_path: "acme/team" },
  ssh_url_to_repo: "git@gl:acme/team/web.git",
  http_url_to_repo: "https://gl/acme/team/web.git",
  default_branch: "main",
  topics: ["prod", "eu"],
};
const group = "/api/v4/groups/acme%2Fteam/projects?include_subgroups=false&with_shared=true&per_page=100";
const giteaRepository = {
  id: 5,
  name: "web",
  html_url: "https://gt/acme/web",
  ssh_url: "git@gt:acme/web.git",
  default_branch: "main",
};
const stash = "/rest/api/1.0/projects/PRJ/repos";
const stashRepository = {
  id: 9,
  slug: "web",
  name: "Web",
  project: { key: "PRJ" },
  links: {
    clone: [
      { name: "http", href: "https://bb/scm/prj/web.git" },
      { name: "ssh", href: "ssh://git@bb/prj/web.git" },
    ],
  },
};
const cloudRepository = {
  slug: "web",
  uuid: "{1}",
  mainbranch: { name: "main" },
  links: {
    clone: [
      { name: "https", href: "https://bitbucket.org/acme/web.git" },
      { name: "ssh", href: "git@bitbucket.org:acme/web.git" },
    ],
  },
};
const azure = "/acme/shop/_apis/git/repositories";
const azureItem = (path: string) =>
  `${azure}/u1/items?path=${path}&versionDescriptor.version=main&api-version=7.1`;

const scenes: Readonly<Record<string, Scene>> = {
  "GitLab: projects of a group": {
    kind: "gitlab",
    credential: token,
    header: ["private-token", "s3cret"],
    routes: {
      [group]: { headers: { "x-next-page": "2" }, body: [gitlabProject] },
      [`${group}&page=2`]: {
        headers: { "x-next-page": "" },
        body: [{ ...gitlabProject, id: 8, path: "empty", default_branch: null, topics: [] }],
      },
      "/api/v4/projects/7/repository/branches/main": { body: { name: "main", commit: { id: sha("a") } } },
      "/api/v4/projects/7/repository/files/a%20b%2Fc?ref=main": {
        status: 404,
        body: { message: "404 File Not Found" },
      },
      "/api/v4/projects/7/repository/tree?path=a+b%2Fc&ref=main&per_page=1": { body: [{ name: "x" }] },
      "/api/v4/projects/7/repository/files/none?ref=main": { status: 404, body: {} },
      "/api/v4/projects/7/repository/tree?path=none&ref=main&per_page=1": { status: 404, body: {} },
    },
    ask: (host) => survey(host, "acme/team", false),
    wanted: [
      [
        "acme/team",
        "web",
        "7",
        "git@gl:acme/team/web.git",
        "https://gl/acme/team/web.git",
        "prod,eu",
        [{ name: "main", sha: sha("a") }],
        true,
        false,
      ],
      [
        "acme/team",
        "empty",
        "8",
        "git@gl:acme/team/web.git",
        "https://gl/acme/team/web.git",
        "",
        [],
        undefined,
        undefined,
      ],
    ],
  },
  "GitLab: merge requests": {
    kind: "gitlab",
    credential: token,
    header: ["private-token", "s3cret"],
    routes: {
      "/api/v4/projects/acme%2Fweb/merge_requests?labels=a%2Cb&state=opened&per_page=100": {
        body: [
          {
            iid: 3,
            id: 99,
            title: "t",
            author: { username: "ann" },
            source_branch: "f/x",
            target_branch: "main",
            sha: sha("b"),
            labels: ["a", "b"],
          },
        ],
      },
    },
    ask: (host) =>
      host.listPullRequests({ owner: "", name: "acme/web" }, { labels: ["a", "b"], state: "opened" }, look()),
    wanted: [
      {
        number: 3,
        title: "t",
        author: "ann",
        branch: "f/x",
        targetBranch: "main",
        headSha: sha("b"),
        labels: ["a", "b"],
      },
    ],
  },
  "Gitea: repositories of an organization": {
    kind: "gitea",
    credential: token,
    header: ["authorization", "token s3cret"],
    routes: {
      "/api/v1/orgs/acme/repos?limit=50&page=1": {
        headers: { link: '<http://gt/x?page=2>; rel="next",<http://gt/x?page=2>; rel="last"' },
        body: [giteaRepository],
      },
      "/api/v1/orgs/acme/repos?limit=50&page=2": {
        body: [{ ...giteaRepository, id: 6, name: "empty", empty: true }],
      },
      "/api/v1/repos/acme/web/labels?limit=50&page=1": { body: [{ name: "bug" }, { name: "prod" }] },
      "/api/v1/repos/acme/empty/labels?limit=50&page=1": { body: [] },
      "/api/v1/repos/acme/web/branches?limit=50&page=1": {
        body: [
          { name: "main", commit: { id: sha("a") } },
          { name: "f/x", commit: { id: sha("b") } },
        ],
      },
      "/api/v1/repos/acme/web/contents/a%20b/c?ref=main": { body: { type: "file" } },
      "/api/v1/repos/acme/web/contents/none?ref=main": { status: 404, body: {} },
    },
    ask: (host) => survey(host, "acme", true),
    wanted: [
      [
        "acme",
        "web",
        "5",
        "git@gt:acme/web.git",
        "https://gt/acme/web",
        "bug,prod",
        [
          { name: "main", sha: sha("a") },
          { name: "f/x", sha: sha("b") },
        ],
        true,
        false,
      ],
      ["acme", "empty", "6", "git@gt:acme/web.git", "https://gt/acme/web", "", [], undefined, undefined],
    ],
  },
  "Gitea: pull requests": {
    kind: "gitea",
    credential: token,
    header: ["authorization", "token s3cret"],
    routes: {
      "/api/v1/repos/acme/web/pulls?state=open&limit=50&page=1": {
        body: [
          {
            number: 4,
            title: "t",
            user: { login: "ann" },
            head: { ref: "x", sha: sha("c") },
            base: { ref: "main" },
            labels: [{ name: "go" }],
          },
          {
            number: 5,
            title: "u",
            user: { login: "bob" },
            head: { ref: "y", sha: sha("d") },
            base: { ref: "main" },
            labels: null,
          },
        ],
      },
    },
    ask: (host) => host.listPullRequests({ owner: "acme", name: "web" }, { labels: ["go"] }, look()),
    wanted: [
      {
        number: 4,
        title: "t",
        author: "ann",
        branch: "x",
        targetBranch: "main",
        headSha: sha("c"),
        labels: ["go"],
      },
    ],
  },
  "Bitbucket Server: repositories of a project": {
    kind: "bitbucketServer",
    credential: password,
    header: ["authorization", encoded("ann:s3cret")],
    routes: {
      [`${stash}?limit=100`]: { body: { values: [stashRepository], isLastPage: false, nextPageStart: 25 } },
      [`${stash}?limit=100&start=25`]: {
        body: { values: [{ ...stashRepository, id: 10, slug: "empty", name: "Empty" }], isLastPage: true },
      },
      [`${stash}/web/branches/default`]: {
        body: { id: "refs/heads/main", displayId: "main", latestCommit: sha("a") },
      },
      [`${stash}/web/branches?limit=100`]: {
        body: {
          values: [
            { displayId: "main", latestCommit: sha("a") },
            { displayId: "f/x", latestCommit: sha("b") },
          ],
          isLastPage: true,
        },
      },
      [`${stash}/empty/branches/default`]: { status: 204, body: "" },
      [`${stash}/web/browse/a%20b/c?at=main&type=true&limit=100`]: { body: { type: "DIRECTORY" } },
      [`${stash}/web/browse/none?at=main&type=true&limit=100`]: { status: 404, body: {} },
    },
    ask: (host) => survey(host, "PRJ", true),
    wanted: [
      [
        "PRJ",
        "Web",
        "9",
        "ssh://git@bb/prj/web.git",
        "https://bb/scm/prj/web.git",
        "",
        [
          { name: "main", sha: sha("a") },
          { name: "f/x", sha: sha("b") },
        ],
        true,
        false,
      ],
      [
        "PRJ",
        "Empty",
        "10",
        "ssh://git@bb/prj/web.git",
        "https://bb/scm/prj/web.git",
        "",
        [],
        undefined,
        undefined,
      ],
    ],
  },
  "Bitbucket Server: pull requests": {
    kind: "bitbucketServer",
    credential: token,
    header: ["authorization", "Bearer s3cret"],
    routes: {
      [`${stash}/web/pull-requests?limit=100`]: {
        body: {
          isLastPage: true,
          values: [
            {
              id: 101,
              title: "t",
              author: { user: { name: "ann" } },
              fromRef: { id: "refs/heads/f/x", displayId: "f/x", latestCommit: sha("e") },
              toRef: { displayId: "main" },
            },
          ],
        },
      },
    },
    ask: (host) => host.listPullRequests({ owner: "PRJ", name: "web" }, {}, look()),
    wanted: [
      {
        number: 101,
        title: "t",
        author: "ann",
        branch: "f/x",
        targetBranch: "main",
        headSha: sha("e"),
        labels: [],
      },
    ],
  },
  "Bitbucket Cloud: repositories of a workspace": {
    kind: "bitbucket",
    credential: password,
    header: ["authorization", encoded("ann:s3cret")],
    routes: {
      "/repositories/acme?role=member&pagelen=100": {
        body: {
          values: [cloudRepository],
          next: "https://elsewhere.example/2.0/repositories/acme?page=abc&role=member",
        },
      },
      "/repositories/acme?page=abc&role=member": {
        body: { values: [{ ...cloudRepository, slug: "empty", uuid: "{2}", mainbranch: null }] },
      },
      "/repositories/acme/web/refs/branches/main": { body: { name: "main", target: { hash: sha("a") } } },
      [`/repositories/acme/web/src/${sha("a")}/a%20b/c?format=meta`]: { body: { type: "commit_directory" } },
      [`/repositories/acme/web/src/${sha("a")}/none?format=meta`]: { status: 404, body: {} },
    },
    ask: (host) => survey(host, "acme", false),
    wanted: [
      [
        "acme",
        "web",
        "{1}",
        "git@bitbucket.org:acme/web.git",
        "https://bitbucket.org/acme/web.git",
        "",
        [{ name: "main", sha: sha("a") }],
        true,
        false,
      ],
      [
        "acme",
        "empty",
        "{2}",
        "git@bitbucket.org:acme/web.git",
        "https://bitbucket.org/acme/web.git",
        "",
        [],
        undefined,
        undefined,
      ],
    ],
  },
  "Bitbucket Cloud: pull requests": {
    kind: "bitbucket",
    credential: token,
    header: ["authorization", "Bearer s3cret"],
    routes: {
      "/repositories/acme/web/pullrequests?state=OPEN&pagelen=50": {
        body: {
          values: [
            {
              id: 6,
              title: "t",
              author: { nickname: "ann" },
              source: { branch: { name: "x" }, commit: { hash: "1a2b3c4d5e6f" } },
              destination: { branch: { name: "main" } },
            },
          ],
        },
      },
    },
    ask: (host) => host.listPullRequests({ owner: "acme", name: "web" }, {}, look()),
    wanted: [
      {
        number: 6,
        title: "t",
        author: "ann",
        branch: "x",
        targetBranch: "main",
        headSha: "1a2b3c4d5e6f",
        labels: [],
      },
    ],
  },
  "Azure DevOps: repositories of a project": {
    kind: "azureDevOps",
    credential: token,
    header: ["authorization", encoded(":s3cret")],
    routes: {
      [`${azure}?api-version=7.1`]: {
        body: {
          value: [
            {
              id: "u1",
              name: "web",
              defaultBranch: "refs/heads/main",
              remoteUrl: "https://dev.azure.com/acme/shop/_git/web",
            },
            { id: "u2", name: "empty", remoteUrl: "https://x" },
          ],
        },
      },
      [`${azure}/u1/stats/branches?name=main&api-version=7.1`]: {
        body: { name: "main", commit: { commitId: sha("a") } },
      },
      [azureItem("a+b%2Fc")]: { body: { isFolder: true } },
      [azureItem("none")]: { status: 404, body: { typeKey: "GitItemNotFoundException" } },
    },
    ask: (host) => survey(host, "acme/shop", false),
    wanted: [
      [
        "acme",
        "web",
        "u1",
        "",
        "https://dev.azure.com/acme/shop/_git/web",
        "",
        [{ name: "main", sha: sha("a") }],
        true,
        false,
      ],
    ],
  },
  "Azure DevOps: pull requests": {
    kind: "azureDevOps",
    credential: token,
    header: ["authorization", encoded(":s3cret")],
    routes: {
      [`${azure}/web/pullrequests?%24top=100&api-version=7.1`]: {
        body: {
          value: [
            {
              pullRequestId: 12,
              title: "t",
              sourceRefName: "refs/heads/f/x",
              targetRefName: "refs/heads/main",
              lastMergeSourceCommit: { commitId: sha("f") },
              createdBy: { uniqueName: "ann@acme.example" },
              labels: [{ name: "go" }],
            },
            {
              pullRequestId: 13,
              title: "u",
              sourceRefName: "refs/heads/y",
              targetRefName: "refs/heads/main",
              createdBy: { uniqueName: "bob" },
            },
          ],
        },
      },
    },
    ask: (host) => host.listPullRequests({ owner: "acme/shop", name: "web" }, { labels: ["go"] }, look()),
    wanted: [
      {
        number: 12,
        title: "t",
        author: "ann",
        branch: "f/x",
        targetBranch: "main",
        headSha: sha("f"),
        labels: ["go"],
      },
    ],
  },
};

for (const [name, { kind, credential, header, routes, ask, wanted }] of Object.entries(scenes)) {
  const open = () =>
    hostFor(kind, { api: server.url, credential, guarded: false, calls: new HostCalls(realClock) });
  test(name, async () => {
    const left = new Set(Object.keys(routes));
    const odd: string[] = [];
    server.asked.length = 0;
    server.speak(({ headers }) => {
      const target = (server.asked.at(-1) ?? "").replace(/^GET /, "");
      left.delete(target);
      const found = routes[target];
      if (!found || headers[header[0]] !== header[1]) odd.push(target);
      return found ?? { status: 400, body: {} };
    });
    assert.deepEqual(await ask(open()), wanted);
    assert.deepEqual([odd, [...left]], [[], []]);
  });

  test(`${name}: a server that fails gives nothing, and no message holds the credential`, async () => {
    for (const reply of [
      { status: 500, body: "s3cret" },
      { body: '{"values": [' },
      { body: { message: "s3cret" } },
      { status: 203, body: "<html>" },
    ]) {
      server.speak(() => reply);
      const error: unknown = await ask(open()).catch((problem: unknown) => problem);
      assert.ok(error instanceof Error, JSON.stringify(error));
      assert.doesNotMatch(error.message, /s3cret|YW5uOnMzY3JldA|OnMzY3JldA/);
    }
  });
}
