import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Manifest } from "@capstan/model";
import {
  eventually,
  githubApi,
  type HostApi,
  type HostedSketch,
  type HostReply,
  type HostServer,
  startHostServer,
} from "@capstan/testkit";
import { generatorSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";

const namespace = "argocd";

const sketch: HostedSketch = {
  owner: "acme",
  token: "s3cret",
  repositories: ["web", "api", "old"].map((name, id) => ({
    name,
    id,
    defaultBranch: "main",
    isArchived: name === "old",
    topics: name === "api" ? ["prod"] : [],
    branches: [
      { name: "main", sha: `${id}`.repeat(40), files: name === "web" ? ["deploy/app.yaml"] : ["x"] },
    ],
    pulls: [
      { number: 7, title: "x", author: "ann", branch: "one", target: "main", sha: "a".repeat(40) },
      { number: 8, title: "y", author: "bob", branch: "two", target: "dev", sha: "b".repeat(40) },
    ],
  })),
};

let sets: SetWorld;
let server: HostServer;
/** Of which no request is answered in the end. */
let going: HostServer;

before(async () => {
  server = await startHostServer(githubApi(sketch));
  going = await startHostServer(githubApi(sketch));
  sets = await openSetWorld();
  await sets.create(secret("github", { token: "s3cret" }, { "argocd.argoproj.io/secret-type": "scm-creds" }));
  await sets.create(secret("argocd-secret", { "server.secretkey": "inner" }));
  const data = { "applicationsetcontroller.allowed.scm.providers": `${server.url},${going.url}` };
  await sets.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-cmd-params-cm", namespace },
    data,
  });
  const { settings } = sets.world;
  while (Object.keys(settings.current.params).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
});
after(async () => {
  await sets[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await going[Symbol.asyncDispose]();
});

const secret = (name: string, stringData: Record<string, string>, labels = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace, labels },
  stringData,
});
const tokenRef = { secretName: "github", key: "token" };

const askAgain = (name: string) =>
  sets.change(name, {
    metadata: { annotations: { "argocd.argoproj.io/application-set-refresh": "true" } },
  });

test("repositories of an organization become Applications, by their filters", async () => {
  const github = { organization: "acme", api: server.url, tokenRef, excludeArchivedRepos: true };
  await sets.create(generatorSet("all", { scmProvider: { github } }, "repository"));
  await sets.untilNames("all-", ["all-api", "all-web"]);
  const filters = [{ pathsExist: ["deploy"] }];
  await sets.create(generatorSet("path", { scmProvider: { github, filters } }, "repository"));
  await sets.create(
    generatorSet("topic", { scmProvider: { github, filters: [{ labelMatch: "prod" }] } }, "repository"),
  );
  await sets.untilNames("path-", ["path-web"]);
  await sets.untilNames("topic-", ["topic-api"]);
  const lists = server.asked.filter((one) => one.includes("/orgs/acme/repos"));
  assert.equal(lists.length, 1, "three sets alike ask once for the list");
});

test("pull requests come and go with those that are open; a host that fails deletes nothing", async () => {
  const github = { owner: "acme", repo: "web", api: server.url, tokenRef };
  await sets.create(generatorSet("pr", { pullRequest: { github } }, "number"));
  await sets.untilNames("pr-", ["pr-7", "pr-8"]);
  const failures: [number, RegExp][] = [
    [500, /answers 500/],
    [401, /the credential is missing or does not count there/],
    [404, /there is no repository acme\/web, or the credential does not show it/],
  ];
  for (const [status, says] of failures) {
    server.speak(() => ({ status, body: { message: "s3cret" } }));
    await askAgain("pr");
    const said = await sets.untilSaid("pr", says);
    assert.doesNotMatch(said, /s3cret/);
    assert.deepEqual(await sets.namesOf("pr-"), ["pr-7", "pr-8"]);
  }
  const [web, ...others] = sketch.repositories;
  assert.ok(web);
  const left = { ...web, pulls: (web.pulls ?? []).slice(1) };
  server.speak(githubApi({ ...sketch, repositories: [left, ...others] }));
  await askAgain("pr");
  await sets.untilNames("pr-", ["pr-8"]);
  server.speak(githubApi(sketch));
});

test("an address that nobody lists, Capstan's own Secrets, and what is not there are refused", async () => {
  const refused: [string, object, RegExp][] = [
    [
      "address",
      { api: "http://127.0.0.1:1", tokenRef },
      /is none of applicationsetcontroller.allowed.scm.providers/,
    ],
    [
      "own",
      { api: server.url, tokenRef: { secretName: "argocd-secret", key: "server.secretkey" } },
      /holds no credentials for hosts/,
    ],
    [
      "none",
      { api: server.url, tokenRef: { secretName: "none", key: "x" } },
      /Secret argocd\/none does not exist/,
    ],
    [
      "key",
      { api: server.url, tokenRef: { secretName: "github", key: "x" } },
      /Secret argocd\/github has no key x/,
    ],
    [
      "app",
      { api: server.url, appSecretName: "github" },
      /is none of repository credentials with a GitHub App/,
    ],
  ];
  const before = server.asked.length;
  for (const [name, more, says] of refused) {
    const github = { organization: "acme", ...more };
    await sets.create(generatorSet(`no-${name}`, { scmProvider: { github } }, "repository"));
    await sets.untilSaid(`no-${name}`, says);
  }
  assert.equal(server.asked.length, before);
});

test("half of a list, of a page or of an answer, and a host that is down or wants to be left alone, delete nothing", async () => {
  const setFor = (name: string, api: string) =>
    generatorSet(name, { scmProvider: { github: { organization: "acme", api, tokenRef } } }, "repository");
  await sets.create(setFor("half", server.url));
  await sets.create(setFor("down", going.url));
  const namesOf = (prefix: string) => ["api", "old", "web"].map((name) => `${prefix}-${name}`);
  await sets.untilNames("half-", namesOf("half"));
  await sets.untilNames("down-", namesOf("down"));
  const pages = githubApi(sketch, { pageSize: 2 });
  const secondPage =
    (reply: HostReply): HostApi =>
    (request) =>
      request.query.get("page") === "2" ? reply : pages(request);
  const failures: [HostApi, RegExp][] = [
    [secondPage({ status: 500, body: {} }), /generators\[0\]: branches GitHub at .* answers 500/],
    [secondPage({ body: '[{"name": "ol' }), /something that is no JSON/],
    [secondPage({ status: 404, body: {} }), /knows no /],
    [secondPage({ body: { message: "later" } }), /no list|is none/],
    [secondPage({ status: 403, headers: { "retry-after": "1" }, body: {} }), /not asked again before 20/],
  ];
  for (const [api, says] of failures) {
    server.speak(api);
    await askAgain("half");
    await sets.untilSaid("half", says);
    assert.deepEqual(await sets.namesOf("half-"), namesOf("half"));
  }
  server.speak(githubApi(sketch));
  const isWell = async () => {
    await askAgain("half");
    await sets.idle();
    return (
      (await sets.conditionsOf("half")).some((one) => one.startsWith("ErrorOccurred=False")) || undefined
    );
  };
  await eventually(isWell, { signal: AbortSignal.timeout(60_000), describe: () => "it is left alone" });
  await going[Symbol.asyncDispose]();
  await askAgain("down");
  await sets.untilSaid("down", /^ErrorOccurred=True .*ECONNREFUSED|^ErrorOccurred=True .*refused/);
  assert.deepEqual(await sets.namesOf("down-"), namesOf("down"));
});
