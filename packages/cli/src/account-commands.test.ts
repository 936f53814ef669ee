import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, realClock } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { compare } from "bcryptjs";
import { runMain } from "./test-main.ts";
import { readClaims } from "./token-claims.ts";

const signal = () => AbortSignal.timeout(60_000);
const time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";

describe("account and role tokens", () => {
  let api: ApiWorld;
  let home: string;
  const run = (argv: readonly string[], input = "") => runMain(argv, { home, clock: realClock, input });
  const capstan = (...argv: string[]) => run([...argv, "--server", api.url, "--auth-token", api.token]);
  const outOf = async (...argv: string[]) => {
    const { code, out, err } = await capstan(...argv);
    assert.equal(code, 0, err);
    return out;
  };

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-home-"));
    api = await openApiWorld();
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    const body = { data: { "accounts.ci": "apiKey", "accounts.ann": "login, apiKey" } };
    await api.world.kube.patch(ref, { type: "merge", body }, { signal: signal() });
    await eventually(
      async () => (await api.request("GET", "/api/v1/account/ann")).status === 200 || undefined,
      { signal: signal(), describe: () => "the accounts are not there" },
    );
    const roles = [{ name: "deploy" }];
    const spec = { sourceRepos: ["*"], destinations: [], roles };
    const body2 = { project: { metadata: { name: "team" }, spec } };
    assert.equal((await api.request("POST", "/api/v1/projects", { body: body2 })).status, 200);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  test("accounts are listed and shown with their tokens as argocd shows them", async () => {
    const list =
      "NAME   ENABLED  CAPABILITIES\nadmin  true     login\nann    true     login, apiKey\nci     true     apiKey\n";
    assert.equal(await outOf("account", "list"), list);
    assert.equal(await outOf("account", "list", "-o", "name"), "admin\nann\nci\n");
    const none =
      "Name:               ci\nEnabled:            true\nCapabilities:       apiKey\n\nTokens:\nNONE\n";
    assert.equal(await outOf("account", "get", "--account", "ci"), none);
    const token = (await outOf("account", "generate-token", "-a", "ci", "--id", "build", "-e", "1h")).trim();
    const { jti, iat, exp } = readClaims(token);
    assert.deepEqual([jti, Number(exp) - Number(iat)], ["build", 3600]);
    const shown = await outOf("account", "get", "--account", "ci");
    assert.match(shown, new RegExp(`Tokens:\nID {5}ISSUED AT {13}EXPIRING AT\nbuild  ${time}  ${time}\n$`));
    const own = await run(["account", "get", "-o", "name", "--server", api.url, "--auth-token", token]);
    assert.equal(own.out, "ci\n");
    assert.equal(await outOf("account", "delete-token", "-a", "ci", "build"), "");
    const gone = await run(["account", "whoami", "--server", api.url, "--auth-token", token]);
    assert.equal(gone.out, "Logged In: false\n");
    const refused = await capstan("account", "generate-token", "-e", "forever");
    assert.match(refused.err, /--expires-in.*"forever" is not a duration/);
  });

  test("tokens of a role are made, listed and deleted", async () => {
    assert.equal(await outOf("proj", "role", "list-tokens", "team", "deploy"), "No tokens for team.deploy\n");
    const made = await outOf("proj", "role", "create-token", "team", "deploy", "-i", "one", "-e", "2d");
    const pattern = `^Create token succeeded for proj:team:deploy.\n  ID: one\n  Issued At: ${time}\n  Expires At: ${time}\n  Token: ey.*\n$`;
    assert.match(made, new RegExp(pattern));
    const listed = await outOf("proj", "role", "list-tokens", "team", "deploy");
    assert.match(listed, new RegExp(`^ID {5}ISSUED AT {15}EXPIRES AT\none {4}${time} {4}${time}\n$`));
    const unix = await outOf("proj", "role", "list-tokens", "team", "deploy", "-u");
    const iat = /one +(\d+)/.exec(unix)?.[1] ?? "";
    assert.equal(await outOf("proj", "role", "delete-token", "team", "deploy", iat), "");
    const token = (await outOf("proj", "role", "create-token", "team", "deploy", "-t")).trim();
    assert.equal(readClaims(token).sub, "proj:team:deploy");
    assert.equal(readClaims(token).exp, undefined);
  });

  test("a changed password logs in again where one is logged in; another account's leaves that alone", async () => {
    const set = ["account", "update-password", "--account", "ann", "--current-password", api.password];
    assert.equal(await outOf(...set, "--new-password", "ann has one now"), "Password updated\n");
    const config = join(home, "config");
    const asAnn = (...argv: string[]) => run([...argv, "--config", config]);
    const login = await run([
      "login",
      api.url,
      "--username",
      "ann",
      "--password",
      "ann has one now",
      "--config",
      config,
    ]);
    assert.equal(login.code, 0, login.err);
    const passwords = ["--current-password", "ann has one now", "--new-password", "ann has another"];
    const changed = await asAnn("account", "update-password", ...passwords);
    assert.match(changed.out, /^Password updated\nContext '.*' updated\n$/, changed.err);
    assert.match(await readFile(config, "utf8"), /auth-token/);
    assert.match((await asAnn("account", "get-user-info")).out, /Username: ann\n/);
    const refused = await asAnn("account", "update-password", "--account", "admin", ...passwords);
    assert.match(refused.err, /permission denied|not allowed|may not/i);
  });

  test("a password is hashed without a server, also from a pipe", async () => {
    const { out } = await run(["account", "bcrypt"], "piped secret\n");
    assert.ok(await compare("piped secret", out));
    const fromWindows = await run(["account", "bcrypt"], "piped secret\r\n");
    assert.ok(await compare("piped secret", fromWindows.out));
    const given = await run(["account", "bcrypt", "--password", "given"]);
    assert.ok(await compare("given", given.out));
    const long = await run(["account", "bcrypt", "--password", "x".repeat(73)]);
    assert.deepEqual([long.code, long.out], [20, ""]);
    assert.match(long.err, /a password has 72 bytes at most/);
  });
});
