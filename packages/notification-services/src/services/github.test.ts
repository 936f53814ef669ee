import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { type Answer, type Call, startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService } from "../create-service.ts";
import type { GithubPart } from "../notification.ts";
import { EntryError, SendError } from "../service.ts";

const clock = realClock;
const { signal } = new AbortController();
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const of = { repoURL: "https://github.com/acme/web.git", revision: "abc" };

/** A GitHub that gives tokens; `answer` says the rest. */
function startGithub(answer: (call: Call) => Answer) {
  return startStore((call) =>
    call.url.pathname.endsWith("/access_tokens")
      ? [201, { token: "t", expires_at: new Date(Date.now() + 3_600_000).toISOString() }]
      : answer(call),
  );
}

function open(address: string) {
  const config = { appID: 1, installationID: "2", privateKey, enterpriseBaseURL: address };
  return createService({ type: "github", config, clock });
}

test("a token is asked for once, and a commit that takes no further status is not tried again", async () => {
  await using server = await startGithub(() => [422, { message: "no more" }]);
  const service = open(server.address);
  const status = { state: "success", label: "l", targetURL: "" };
  for (let times = 0; times < 2; times++) {
    const failed: unknown = await service
      .send({ github: { ...of, status } }, "", { signal })
      .catch((error: unknown) => error);
    assert.ok(failed instanceof SendError);
    assert.equal(failed.mayRetry, false);
    assert.match(
      failed.message,
      /^github: HTTP status 422: GitHub takes no further status l of abc: no more$/,
    );
  }
  assert.deepEqual(server.asked, [
    "POST /api/v3/app/installations/2/access_tokens",
    "POST /api/v3/repos/acme/web/statuses/abc",
    "POST /api/v3/repos/acme/web/statuses/abc",
  ]);
});

test("a comment's tag is looked for on every page, and at no other address", async (t) => {
  const asked: string[] = [];
  const server = createServer(({ method, url = "" }, response) => {
    const page = Number(new URL(url, "http://h").searchParams.get("page") ?? 1);
    asked.push(`${method} ${url.replace("/api/v3/repos/acme/web", "")}`);
    const say = (body: unknown, next = "") =>
      response.writeHead(200, next === "" ? {} : { link: `<${next}>; rel="next"` }).end(JSON.stringify(body));
    if (url.endsWith("/access_tokens")) say({ token: "t", expires_at: "2099-01-01T00:00:00Z" });
    else if (url.endsWith("/pulls")) say([{ number: 5 }], "http://elsewhere.example/pulls?page=2");
    else if (method !== "GET") say({});
    else if (page < 3) say([{ id: page, body: "other" }], `${url.split("?")[0]}?page=${page + 1}`);
    else say([{ id: 7, body: "<!-- argocd-notifications tag -->" }]);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const pullRequestComment = { content: "text", commentTag: "tag" };
  await open(address).send({ github: { ...of, pullRequestComment } }, "", { signal });
  assert.deepEqual(asked.slice(1), [
    "GET /commits/abc/pulls",
    "GET /issues/5/comments",
    "GET /issues/5/comments?page=2",
    "GET /issues/5/comments?page=3",
    "PATCH /issues/comments/7",
  ]);
});

test("what cannot be asked of GitHub is refused before it is asked", async () => {
  await using server = await startGithub(() => [200, {}]);
  const refusal = (part: Partial<GithubPart>) =>
    open(server.address).send({ github: { ...of, ...part } }, "", { signal });
  const checkRun = {
    name: "n",
    details_url: "",
    status: "",
    conclusion: "",
    started_at: "",
    completed_at: "",
  };
  await assert.rejects(refusal({ checkRun: { ...checkRun, status: "completed" } }), /conclusion is needed/);
  await assert.rejects(refusal({ checkRun: { ...checkRun, started_at: "now" } }), /"now" is no time/);
  await assert.rejects(refusal({ repoURL: "https://github.com/acme" }), /has no owner and name/);
  await assert.rejects(open(server.address).send({}, "", { signal }), /the template has no part github/);
  assert.deepEqual(server.asked, []);
  const broken = { appID: "x", installationID: 2, privateKey: "none", enterpriseBaseURL: "x" };
  assert.throws(
    () => createService({ type: "github", config: broken, clock }),
    (error) =>
      error instanceof EntryError &&
      error.message ===
        "service.github: appID is no number; privateKey is no private key in PEM form; enterpriseBaseURL is no URL",
  );
});
