import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { WebhookRequest, WebhookSecrets } from "./push-event.ts";
import { admitWebhook, readWebhook as readAdmitted, type WebhookReading } from "./read-webhook.ts";

const maxBytes = 50 * 1024 * 1024;

function readWebhook(request: WebhookRequest, secrets: WebhookSecrets): WebhookReading {
  const admission = admitWebhook(request.headers, { secrets, maxBytes });
  return admission.kind === "refused" ? admission : readAdmitted(admission, request);
}

interface Sample {
  provider: string;
  headers: Record<string, string>;
  payload: object;
  /** Secret settings, and headers that prove knowledge of them. */
  secrets: WebhookSecrets;
  proof(body: string): Record<string, string>;
  expected: {
    urls: string[];
    ref: string;
    touchedHead: boolean;
    changedFiles: string[] | undefined;
    revision?: string;
  };
}

const before = "1".repeat(40);
const after = "2".repeat(40);
const commits = [
  { id: "a", added: ["web/new.yaml"], modified: ["web/app.yaml"], removed: [] },
  { id: "b", added: [], modified: ["web/app.yaml"], removed: ["old.yaml"] },
];
const changedFiles = ["web/new.yaml", "web/app.yaml", "old.yaml"];
const hmac = (body: string) => createHmac("sha256", "s3cret").update(body).digest("hex");

const githubPayload = {
  ref: "refs/heads/main",
  before,
  after,
  commits,
  repository: {
    html_url: "https://github.example/team/apps",
    clone_url: "https://github.example/team/apps.git",
    ssh_url: "git@github.example:team/apps.git",
    default_branch: "main",
  },
};

const githubUrls = [
  "https://github.example/team/apps",
  "https://github.example/team/apps.git",
  "git@github.example:team/apps.git",
];

const samples: Sample[] = [
  {
    provider: "GitHub",
    headers: { "x-github-event": "push" },
    payload: githubPayload,
    secrets: { github: "s3cret" },
    proof: (body) => ({ "x-hub-signature-256": `sha256=${hmac(body)}` }),
    expected: { urls: githubUrls, ref: "refs/heads/main", touchedHead: true, changedFiles, revision: after },
  },
  {
    provider: "Gogs or Gitea",
    headers: { "x-github-event": "push", "x-gogs-event": "push", "x-gitea-event": "push" },
    payload: { ...githubPayload, total_commits: 2 },
    secrets: { gogs: "s3cret" },
    proof: (body) => ({ "x-gogs-signature": hmac(body) }),
    expected: { urls: githubUrls, ref: "refs/heads/main", touchedHead: true, changedFiles, revision: after },
  },
  {
    provider: "GitLab",
    headers: { "x-gitlab-event": "Push Hook" },
    payload: {
      object_kind: "push",
      ref: "refs/heads/release/1",
      before,
      after,
      commits,
      total_commits_count: 2,
      project: {
        web_url: "https://gitlab.example/team/apps",
        git_http_url: "https://gitlab.example/team/apps.git",
        default_branch: "main",
      },
    },
    secrets: { gitlab: "s3cret" },
    proof: () => ({ "x-gitlab-token": "s3cret" }),
    expected: {
      urls: ["https://gitlab.example/team/apps", "https://gitlab.example/team/apps.git"],
      ref: "refs/heads/release/1",
      touchedHead: false,
      changedFiles,
      revision: after,
    },
  },
  {
    provider: "Bitbucket Cloud",
    headers: { "x-hook-uuid": "{wrong}", "x-event-key": "repo:push" },
    payload: {
      push: { changes: [{ new: { type: "tag", name: "v1" } }] },
      repository: { full_name: "team/apps", links: { html: { href: "https://bitbucket.org/team/apps" } } },
    },
    secrets: { bitbucketUuid: "{right}" },
    proof: () => ({ "x-hook-uuid": "{right}" }),
    expected: {
      urls: ["https://bitbucket.org/team/apps", "https://bitbucket.org/team/apps"],
      ref: "refs/tags/v1",
      touchedHead: true,
      changedFiles: undefined,
    },
  },
  {
    provider: "Bitbucket Server",
    headers: { "x-event-key": "repo:refs_changed" },
    payload: {
      changes: [{ ref: { id: "refs/heads/main" } }],
      repository: {
        links: { clone: [{ href: "ssh://git@bitbucket.example:7999/team/apps.git", name: "ssh" }] },
      },
    },
    secrets: { bitbucketServer: "s3cret" },
    proof: (body) => ({ "x-hub-signature": `sha256=${hmac(body)}` }),
    expected: {
      urls: ["ssh://git@bitbucket.example:7999/team/apps.git"],
      ref: "refs/heads/main",
      touchedHead: true,
      changedFiles: undefined,
    },
  },
  {
    provider: "Azure DevOps",
    headers: { "x-vss-activityid": "1" },
    payload: {
      eventType: "git.push",
      resource: {
        refUpdates: [{ name: "refs/heads/main", newObjectId: after }],
        repository: {
          remoteUrl: "https://dev.azure.com/org/team/_git/apps",
          defaultBranch: "refs/heads/main",
        },
      },
    },
    secrets: { azureUsername: "hook", azurePassword: "s3cret" },
    proof: () => ({ authorization: `Basic ${Buffer.from("hook:s3cret").toString("base64")}` }),
    expected: {
      urls: ["https://dev.azure.com/org/team/_git/apps"],
      ref: "refs/heads/main",
      touchedHead: true,
      changedFiles: undefined,
      revision: after,
    },
  },
];

for (const { provider, headers, payload, secrets, proof, expected } of samples) {
  const text = JSON.stringify(payload);
  const body = Buffer.from(text);

  test(`${provider}: a push with the right secret is read`, () => {
    const reading = readWebhook({ headers: { ...headers, ...proof(text) }, body }, secrets);
    assert.deepEqual(reading, { kind: "push", provider, event: expected, isProven: true });
  });

  test(`${provider}: without a configured secret nothing is checked, and nothing proven`, () => {
    const reading = readWebhook({ headers, body }, {});
    assert.equal(reading.kind === "push" && reading.isProven, false);
  });

  test(`${provider}: refused without its own secret while another's is set, and told which to set`, () => {
    const others = provider === "GitHub" ? { gitlab: "x" } : { github: "x" };
    const reading = readWebhook({ headers: { ...headers, ...proof(text) }, body }, others);
    assert.equal(reading.kind === "refused" && reading.status, 401);
    assert.match(reading.kind === "refused" ? reading.message : "", /needs its own: set webhook\./);
  });

  test(`${provider}: more than 5 MB are read only of somebody with a secret`, () => {
    const open = admitWebhook(headers, { secrets: {}, maxBytes });
    assert.equal(open.kind === "admitted" && open.maxBytes, 5 * 1024 * 1024);
    const proven = admitWebhook({ ...headers, ...proof(text) }, { secrets, maxBytes });
    assert.equal(proven.kind === "admitted" && proven.maxBytes, maxBytes);
    assert.equal(admitWebhook(headers, { secrets, maxBytes }).kind, "refused");
  });

  test(`${provider}: a wrong or missing secret is refused`, () => {
    const wrong = Object.fromEntries(Object.entries(proof(`${text} `)).map(([name]) => [name, "wrong"]));
    for (const given of [headers, { ...headers, ...wrong }]) {
      const reading = readWebhook({ headers: given, body }, secrets);
      assert.deepEqual(reading, {
        kind: "refused",
        status: 401,
        message: `${provider} webhook: its secret does not match the one in argocd-secret`,
      });
    }
  });
}

test("events other than pushes are accepted without work", () => {
  const reading = readWebhook({ headers: { "x-github-event": "ping" }, body: Buffer.from("{}") }, {});
  assert.deepEqual(reading, { kind: "ignored", provider: "GitHub" });
});

test("an unknown sender and a body that is no JSON are refused", () => {
  const unknown = readWebhook({ headers: {}, body: Buffer.from("{}") }, {});
  assert.equal(unknown.kind === "refused" && unknown.status, 400);
  const broken = readWebhook({ headers: { "x-github-event": "push" }, body: Buffer.from("{") }, {});
  assert.deepEqual(broken, { kind: "refused", status: 400, message: "GitHub webhook: the body is not JSON" });
});

test("changed files are unknown when the payload cannot name all of them", () => {
  const read = (change: object) => {
    const body = Buffer.from(JSON.stringify({ ...githubPayload, ...change }));
    const reading = readWebhook({ headers: { "x-github-event": "push" }, body }, {});
    return reading.kind === "push" ? reading.event.changedFiles : reading;
  };
  assert.equal(read({ forced: true }), undefined);
  assert.equal(read({ before: "0".repeat(40) }), undefined);
  assert.equal(read({ total_commits: 3 }), undefined);
  assert.equal(read({ commits: [] }), undefined);
});

test("an address or a ref that is too long is none, and lists of files that are too long are unknown", () => {
  const read = (change: object) => {
    const body = Buffer.from(JSON.stringify({ ...githubPayload, ...change }));
    const reading = readWebhook({ headers: { "x-github-event": "push" }, body }, {});
    return reading.kind === "push" ? reading.event : undefined;
  };
  const html_url = `https://x/${"/".repeat(60_000)}x`;
  assert.deepEqual(read({ repository: { html_url } })?.urls, []);
  assert.equal(read({ ref: "x".repeat(5000) }), undefined);
  const added = Array.from({ length: 10_001 }, (_, index) => `f${index}`);
  assert.equal(read({ commits: [{ added }] })?.changedFiles, undefined);
});
