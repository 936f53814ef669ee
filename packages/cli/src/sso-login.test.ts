import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually, freePorts, type OidcProvider, realClock, startOidcProvider } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "./test-main.ts";

const lifeMs = 600_000;
const signal = () => AbortSignal.timeout(60_000);

describe("login through an identity provider", () => {
  let api: ApiWorld;
  let provider: OidcProvider;
  let home: string;
  let port: number;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-home-"));
    [port = 0] = await freePorts(1);
    api = await openApiWorld();
    const redirectUris = [`http://localhost:${port}/auth/callback`];
    const user = { sub: "u1", email: "ann@example.com", groups: ["devs"] };
    const clients = [{ id: "cli", redirectUris }];
    provider = await startOidcProvider({ clients, user, tokenLifeSeconds: lifeMs / 1000 });
  });
  after(async () => {
    await provider[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const config = () => join(home, "config");
  /** The browser opens the address that is printed, after what else it does there. */
  const logIn = (command: readonly string[], meanwhile = async () => undefined as unknown) => {
    let isOpened = false;
    const flags = ["--sso-launch-browser=false", "--sso-port", `${port}`, "--config", config()];
    return runMain([...command, ...flags], {
      home,
      clock: realClock,
      onOut(all) {
        const url = /preferred browser: (\S+)\n/.exec(all)?.[1];
        if (url === undefined || isOpened) return;
        isOpened = true;
        void meanwhile().then(() => fetch(url, { signal: signal() }));
      },
    });
  };

  test("without a provider it says so", async () => {
    const { code, err } = await logIn(["login", api.url, "--sso"]);
    assert.equal(code, 20);
    assert.match(err, /the server has no single sign-on: log in with --username/);
  });

  test("the browser comes back to this machine, the tokens are kept, and relogin does it again", async () => {
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    const oidc = JSON.stringify({ issuer: provider.url, clientID: "web", cliClientID: "cli" });
    await api.world.kube.patch(
      ref,
      { type: "merge", body: { data: { "oidc.config": oidc } } },
      { signal: signal() },
    );
    await eventually(
      async () => {
        const { body } = await api.request("GET", "/api/v1/settings", { token: null });
        return JSON.stringify(body).includes("cliClientID") || undefined;
      },
      { signal: signal(), describe: () => "oidc.config is not in force" },
    );
    const stranger = `http://localhost:${port}/auth/callback?state=guess&code=evil`;
    const { code, out, err } = await logIn(["login", api.url, "--sso"], async () => {
      const answer = await fetch(stranger, { signal: signal() });
      assert.equal(answer.status, 400, "what comes with another state is not this login");
      const noAddress = await fetch(`http://localhost:${port}//`, { signal: signal() });
      assert.equal(noAddress.status, 404, "what is no address ends nothing");
    });
    assert.equal(code, 0, err);
    const host = new URL(api.url).host;
    assert.match(out, /^Performing authorization_code flow login: http.*code_challenge_method=S256.*\n/);
    assert.ok(
      out.endsWith(
        `Authentication successful\n'ann@example.com' logged in successfully\nContext '${host}' updated\n`,
      ),
      out,
    );
    const kept = await readFile(config(), "utf8");
    assert.match(kept, /auth-token: eyJ[\s\S]*refresh-token: /);
    const whoami = () => runMain(["account", "whoami", "--config", config()], { home, clock: realClock });
    assert.match(
      (await whoami()).out,
      /Logged In: true\nUsername: ann@example.com\nIssuer: http.*\nGroups: devs\n/,
    );
    const again = await logIn(["relogin"]);
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, /^Reinitiating SSO login\n[\s\S]*Context '.*' updated\n$/);
    assert.notEqual(await readFile(config(), "utf8"), kept);
    assert.match((await whoami()).out, /Logged In: true/);
  });

  /** As it is a while later by the clock of this machine. */
  const later = (argv: readonly string[], ms = lifeMs * 2) =>
    runMain([...argv, "--config", config()], {
      home,
      clock: { now: () => Date.now() + ms, sleep: realClock.sleep },
    });
  const tokensIn = (text: string) =>
    [...text.matchAll(/(?:auth|refresh)-token: (\S+)/g)].map(([, one]) => one);

  test("a session that has ended is renewed by its refresh token, and both are kept", async () => {
    const before = tokensIn(await readFile(config(), "utf8"));
    assert.equal((await later(["app", "list"], 0)).code, 0);
    assert.deepEqual(tokensIn(await readFile(config(), "utf8")), before, "not before it has ended");
    const { code, err } = await later(["account", "whoami"]);
    assert.deepEqual([code, err], [0, ""]);
    const after = tokensIn(await readFile(config(), "utf8"));
    assert.equal(after.length, 2);
    assert.notEqual(after[0], before[0]);
    provider.misanswer("/token", { status: 400, body: '{"error":"invalid_grant"}' });
    const refused = await later(["app", "list"]);
    provider.misanswer("/token", undefined);
    assert.equal(refused.code, 20);
    assert.match(refused.err, /was not renewed: .*refused \(400, invalid_grant\); use capstan relogin/);
  });

  test("a refresh token goes to no provider but the one that gave it", async () => {
    const kept = await readFile(config(), "utf8");
    const claims = { iss: "http://127.0.0.1:1/", sub: "u1", exp: 1 };
    const forged = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
    await writeFile(config(), kept.replace(/auth-token: \S+/, `auth-token: ${forged}`));
    const asked = provider.countOf("/token");
    assert.match(
      (await later(["app", "list"])).err,
      /begun at http:\/\/127\.0\.0\.1:1\/, where the server logs nobody in/,
    );
    assert.equal(provider.countOf("/token"), asked);
    await writeFile(config(), kept);
  });

  test("whoever logs out is out at the server too, and keeps no token", async () => {
    const kept = await readFile(config(), "utf8");
    const [token = ""] = tokensIn(kept);
    const out = await runMain(["logout", new URL(api.url).host, "--config", config()], {
      home,
      clock: realClock,
    });
    assert.deepEqual([out.code, out.err], [0, ""]);
    assert.doesNotMatch(await readFile(config(), "utf8"), /auth-token|refresh-token/);
    const { status } = await api.request("GET", "/api/v1/applications", { token });
    assert.equal(status, 401);
  });

  test("a person who says no, and a token of another login, are told", async () => {
    provider.forgeTokens({ claims: { nonce: "another" } });
    assert.match((await logIn(["login", api.url, "--sso"])).err, /answered another login/);
    provider.forgeTokens();
    provider.logIn(undefined);
    assert.match((await logIn(["login", api.url, "--sso"])).err, /did not log in: access_denied/);
  });
});
