import assert from "node:assert/strict";
import { test } from "node:test";
import { isCapstanError, type Repository } from "@capstan/model";
import { failsWith, noSignal, realClock } from "@capstan/testkit/render-world";
import type { ManifestRequest } from "@capstan/wire";
import { IssuedTokens } from "./issued-tokens.ts";
import { stageCharts, stageCredentials } from "./stage-credentials.ts";

const own = { url: "https://git.example/team/app", username: "ada", password: "own-password" };
const charts = { url: "https://git.example/team/charts.git", username: "bot", password: "charts-password" };
const other = { url: "https://git.example/secret/plans", username: "eve", password: "plans-password" };

function requestWith(more: Partial<ManifestRequest> = {}): ManifestRequest {
  return {
    repository: own,
    source: { repoURL: own.url, path: "." },
    appName: "web",
    namespace: "web",
    project: "team",
    kubeVersion: "1.34.0",
    apiVersions: [],
    repositories: [charts, other],
    sourceRepos: ["https://git.example/team/*"],
    ...more,
  };
}

const tokens = new IssuedTokens({ clock: realClock, env: {}, timeoutMs: 1_000 });
const credentialsFor = (more?: Partial<ManifestRequest>) =>
  stageCredentials(requestWith(more), { knownHostsFile: "/nonexistent", tokens }, noSignal);

const shown = async (credentials: Promise<Readonly<Record<string, string>>>) =>
  JSON.stringify(await credentials);

test("a plugin gets the credentials of its application's repository, and of those that the project permits", async () => {
  const ask = credentialsFor();
  assert.match(await shown(ask()), /ada.*own-password/);
  assert.match(await shown(ask("https://git.example/team/charts")), /bot.*charts-password/);
});

test("of others it gets none, and is told that the project forbids them", async () => {
  await assert.rejects(
    credentialsFor()(other.url),
    failsWith({ code: "SOURCE_FORBIDDEN", project: "team", repository: other.url }),
  );
});

test("a repository that the project permits and that has none of its own is given what its template says", async () => {
  const template: Repository = {
    url: "https://git.example/team",
    username: "all",
    password: "template-password",
  };
  const ask = credentialsFor({ repositories: [], credentialTemplates: [template] });
  assert.match(await shown(ask("https://git.example/team/public")), /all.*template-password/);
  assert.deepEqual(await credentialsFor({ repositories: [] })("https://git.example/team/public"), {});
});

test("programs that download charts get the logins of what the project permits, of a registry by the beginning of the address", async () => {
  const shop: Repository = {
    url: "https://charts.example/shop",
    type: "helm",
    username: "ada",
    password: "p1",
  };
  const registry: Repository = {
    url: "registry.example:5000/team",
    type: "oci",
    username: "bot",
    password: "p2",
  };
  const sourceRepos = ["https://charts.example/*", "registry.example:5000/team/**"];
  const request = requestWith({ repositories: [shop, registry], sourceRepos });
  const archive = () => Promise.reject(new Error("nothing is downloaded"));
  const { chartLogin } = stageCharts(request, { archive }, new AbortController().signal);
  assert.equal((await chartLogin("https://charts.example/shop/")).password, "p1");
  assert.equal((await chartLogin("oci://registry.example:5000/team/charts/web")).password, "p2");
  assert.equal((await chartLogin("https://charts.example/other")).password, undefined);
  const foreign = "oci://registry.example:5000/secret";
  await assert.rejects(
    chartLogin(foreign),
    failsWith({ code: "SOURCE_FORBIDDEN", project: "team", repository: foreign }),
  );
});

test("an address that leads out of what the project permits is forbidden, however it is written", async () => {
  for (const url of [
    "https://git.example/team/../secret/plans",
    "https://git.example/team/%2e%2e/plans",
    "https://git.example@evil.example/team/app",
  ])
    await assert.rejects(
      credentialsFor()(url),
      (error: unknown) => isCapstanError(error, "SOURCE_FORBIDDEN"),
      url,
    );
  const archive = () => Promise.reject(new Error("nothing is downloaded"));
  const request = requestWith({ sourceRepos: ["oci://registry.example/team-a/**"] });
  const { chartLogin } = stageCharts(request, { archive }, new AbortController().signal);
  await assert.rejects(chartLogin("oci://registry.example/team-a/../team-b/app"), (error: unknown) =>
    isCapstanError(error, "SOURCE_FORBIDDEN"),
  );
});
