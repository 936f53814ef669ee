import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { issuerFacts, startGitServer, startTokenIssuer, type TokenIssuer } from "@capstan/testkit";
import { noSignal, StandingClock, startWorld, TempFolder } from "@capstan/testkit/render-world";
import { IssuedTokens } from "./issued-tokens.ts";

const clock = new StandingClock();
const token = "issued-for-an-hour";
const hourMs = 3_600_000;
const { appId, installation, email } = issuerFacts;
let issuer: TokenIssuer;
let tokens: IssuedTokens;
const folder = new TempFolder();

const known = () => ({ github: issuer.url, google: `${issuer.url}/token`, azureHosts: ["127.0.0.1"] });

before(async () => {
  issuer = await startTokenIssuer({ token, lifetimeMs: hourMs, now: () => clock.now() });
  const file = join(folder.path, "pod-token");
  await writeFile(file, `${issuerFacts.assertion}\n`);
  const env = {
    AZURE_CLIENT_ID: issuerFacts.client,
    AZURE_TENANT_ID: issuerFacts.tenant,
    AZURE_FEDERATED_TOKEN_FILE: file,
    AZURE_AUTHORITY_HOST: issuer.url,
  };
  tokens = new IssuedTokens({ clock, env, timeoutMs: 60_000, known: known() });
});
after(async () => {
  folder[Symbol.dispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const app = () => ({
  url: "https://git.example.com/team/app.git",
  githubAppID: appId,
  githubAppInstallationID: installation,
  githubAppPrivateKey: issuer.privateKey,
});
const keyFile = (more: object = {}) =>
  JSON.stringify({ type: "service_account", client_email: email, private_key: issuer.privateKey, ...more });

test("an installation's token is asked for once, and anew shortly before its end", async () => {
  const first = await tokens.complete(app(), noSignal);
  assert.deepEqual([first.username, first.password], ["x-access-token", token], issuer.refused.join());
  await Promise.all([1, 2, 3].map(() => tokens.complete(app(), noSignal)));
  clock.pass(hourMs - 6 * 60_000);
  await tokens.complete(app(), noSignal);
  assert.equal(issuer.asked.length, 1);
  clock.pass(2 * 60_000);
  await tokens.complete(app(), noSignal);
  assert.equal(issuer.asked.length, 2);
});

test("an enterprise's GitHub is asked where its repositories are", async () => {
  const given = { ...app(), url: `${issuer.url}/team/app.git`, githubAppEnterpriseBaseUrl: `${issuer.url}/` };
  assert.equal((await tokens.complete(given, noSignal)).password, token, issuer.refused.join());
});

test("a service account of Google signs for a token, where Google is and nowhere else", async () => {
  const url = "https://source.developers.google.com/p/project/r/app";
  const gcpServiceAccountKey = keyFile({ token_uri: "http://169.254.169.254/token" });
  const { username, password } = await tokens.complete({ url, gcpServiceAccountKey }, noSignal);
  assert.deepEqual([username, password], [email, token], issuer.refused.join());
});

test("the process's own identity of Azure is shown to Azure DevOps alone", async () => {
  const at = (url: string) => tokens.complete({ url, useAzureWorkloadIdentity: true }, noSignal);
  assert.equal((await at("https://127.0.0.1/org/_git/app")).bearerToken, token, issuer.refused.join());
  const before = issuer.asked.length;
  await assert.rejects(
    at("https://evil.example/org/_git/app"),
    /is for repositories at 127\.0\.0\.1, not at evil/,
  );
  assert.equal(issuer.asked.length, before);
});

test("a repository with a password of its own is left as it is", async () => {
  const own = { ...app(), password: "own" };
  assert.equal(await tokens.complete(own, noSignal), own);
  assert.equal((await tokens.complete({ url: "https://git.example.com/x" }, noSignal)).password, undefined);
});

test("no token is asked for where git goes by ssh, which would not show it", async () => {
  const before = issuer.asked.length;
  for (const url of ["git@git.example.com:team/app.git", "ssh://git@git.example.com/team/app.git"])
    await assert.rejects(tokens.complete({ ...app(), url }, noSignal), /needs an sshPrivateKey/);
  assert.equal(issuer.asked.length, before);
});

const bases = [
  ...["http://169.254.169.254/latest", "https://evil.example/api/v3", "https://git.example.com.evil.example"],
  ...["http://git.example.com/api/v3", "file:///etc/passwd", "https://u:p@git.example.com/api/v3", "api"],
  ...["https://git.example.com/api?x=", "https://git.example.com:8443/api/v3"],
];
for (const base of bases)
  test(`an enterprise's address ${base} of a Secret is not gone to`, async () => {
    const given = { ...app(), githubAppEnterpriseBaseUrl: base };
    await assert.rejects(tokens.complete(given, noSignal), /is no https address at git\.example\.com/);
  });

test("what is no key is told without its text", async () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const curve = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const url = "https://git.example.com/x";
  for (const [given, says] of [
    [{ ...app(), githubAppPrivateKey: "s3cret" }, /githubAppPrivateKey is no private key/],
    [{ ...app(), githubAppPrivateKey: curve }, /is no RSA key/],
    [{ ...app(), githubAppInstallationID: "../../user" }, /is no number of an installation/],
    [{ ...app(), githubAppID: "" }, /is no number of a GitHub App/],
    [{ url, gcpServiceAccountKey: "s3cret" }, /is not JSON/],
    [{ url, gcpServiceAccountKey: '{"type":"external_account","s3cret":1}' }, /is no key file/],
  ] as const)
    await assert.rejects(tokens.complete(given, noSignal), (error: Error) => {
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /s3cret|BEGIN/);
      return true;
    });
});

test("a private repository is rendered by its installation's token, and a refusal names the app", async () => {
  await using git = await startGitServer({ credentials: { username: "x-access-token", password: token } });
  const hosted = await git.createRepository("app", {
    "a/map.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',
  });
  await using world = await startWorld({ clock, issuers: known() });
  const repository = { ...app(), url: hosted.url };
  const source = { repoURL: hosted.url, path: "a" };
  assert.equal((await world.render(source, { repository })).manifests.length, 1);
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const githubAppPrivateKey = String(other.export({ type: "pkcs8", format: "pem" }));
  await assert.rejects(
    world.render(source, { repository: { ...repository, githubAppPrivateKey } }),
    /the GitHub App 4711 at 127\.0\.0\.1:\d+ answers 401 to the request for a token/,
  );
});
