import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  type ApiWorld,
  eventually,
  freePorts,
  type OidcProvider,
  openApiWorld,
  realClock,
  startOidcProvider,
} from "@capstan/testkit";
import { runMain } from "./test-main.ts";

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
    provider = await startOidcProvider({ clients: [{ id: "cli", redirectUris }], user });
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

  test("a person who says no, and a token of another login, are told", async () => {
    provider.forgeTokens({ claims: { nonce: "another" } });
    assert.match((await logIn(["login", api.url, "--sso"])).err, /answered another login/);
    provider.forgeTokens();
    provider.logIn(undefined);
    assert.match((await logIn(["login", api.url, "--sso"])).err, /did not log in: access_denied/);
  });
});
