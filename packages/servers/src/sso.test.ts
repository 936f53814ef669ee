import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually, type OidcProvider, startOidcProvider } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { decodeJwt } from "jose";

const signal = () => AbortSignal.timeout(100_000);
const ann = { sub: "u-ann", email: "ann@example.com", name: "Ann", groups: ["devs", "role:admin", "admin"] };
const policy = "g, devs, role:readonly";
const page = { "x-capstan-page": "secret of the page" };

/** What fetch cannot send, and whom it does not trust. */
async function open(url: URL, options: { ca?: string; headers?: Record<string, string> }) {
  const sent = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, { ...options, agent: false });
  sent.end();
  const [answer] = await once(sent, "response");
  answer.resume();
  return { status: Number(answer.statusCode), location: answer.headers.location };
}

describe("single sign-on", () => {
  let api: ApiWorld;
  let provider: OidcProvider;
  const patch = (kind: string, name: string, body: object) =>
    api.world.kube.patch(
      { apiVersion: "v1", kind, namespace: "argocd", name },
      { type: "merge", body },
      { signal: signal() },
    );
  const info = async (token: string, headers: Record<string, string> = {}) => {
    const { body } = await api.request("GET", "/api/v1/session/userinfo", { token, headers });
    return isRecord(body) ? body : {};
  };
  const statusFor = async (token: string, headers: Record<string, string> = {}) =>
    (await api.request("GET", "/api/v1/account", { token, headers })).status;
  const settings = async () => {
    const { body } = await api.request("GET", "/api/v1/settings", { token: null });
    return isRecord(body) ? body : {};
  };
  /** Settles when they are in force. */
  const configure = async (more: Record<string, unknown> = {}, cm: Record<string, string> = {}) => {
    const name = `Provider ${Math.random()}`;
    const config = {
      ...{ name, issuer: provider.url, clientID: "web", clientSecret: "$oidc.secret", cliClientID: "cli" },
      requestedScopes: ["openid", "email", "groups", "offline_access"],
      rootCA: provider.certificateAuthority,
      ...more,
    };
    await patch("ConfigMap", "argocd-cm", { data: { "oidc.config": JSON.stringify(config), ...cm } });
    await eventually(
      async () => {
        const { oidcConfig } = await settings();
        return (isRecord(oidcConfig) && oidcConfig.name === name) || undefined;
      },
      { signal: signal(), describe: () => "oidc.config is not in force" },
    );
  };
  const visit = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { redirect: "manual", headers, signal: signal() });
  /** As the browser does: to the provider and back. */
  const begin = async (headers: Record<string, string> = {}, returnUrl = "/applications") => {
    const query = new URLSearchParams({ return_url: returnUrl });
    const begun = await visit(`${api.url}/auth/login?${query}`, headers);
    const location = begun.headers.get("location") ?? JSON.parse((await begun.text()) || "{}").location;
    const state = (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return { begun, location: new URL(String(location)), state };
  };
  const toProvider = async (location: URL) => {
    const answer = await open(location, { ca: provider.certificateAuthority });
    return String(answer.location);
  };
  const logIn = async (headers: Record<string, string> = {}) => {
    const { location, state } = await begin(headers);
    const back = await toProvider(location);
    const done = await visit(back, { cookie: state });
    const text = await done.text();
    const cookies = done.headers.getSetCookie();
    const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
    const token = /argocd\.token=([^;]*)/.exec(cookie)?.[1] ?? "";
    return { done, back, state, cookies, token, text };
  };

  before(async () => {
    api = await openApiWorld();
    const redirectUris = [`${api.url}/auth/callback`, "http://localhost:8085/auth/callback"];
    provider = await startOidcProvider({
      clients: [
        { id: "web", secret: "s:cret &", redirectUris },
        { id: "cli", redirectUris },
      ],
      user: ann,
      tls: true,
    });
    await patch("Secret", "argocd-secret", { stringData: { "oidc.secret": "s:cret &" } });
    await patch("ConfigMap", "argocd-rbac-cm", { data: { "policy.csv": policy } });
    await configure();
  });
  after(async () => {
    await provider[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  test("the browser goes to the provider with state, nonce and a challenge, and comes back logged in", async () => {
    const { location } = await begin();
    const asked = Object.fromEntries(location.searchParams);
    assert.equal(asked.redirect_uri, `${api.url}/auth/callback`);
    assert.equal(asked.code_challenge_method, "S256");
    assert.equal(asked.scope, "openid email groups offline_access");
    assert.ok(String(asked.state).length > 40 && String(asked.nonce).length > 40);
    const { done, token, cookies } = await logIn();
    assert.equal(done.status, 303);
    assert.equal(done.headers.get("location"), `${api.url}/applications`);
    assert.match(cookies.join("\n"), /argocd\.oauthstate=; Path=\/auth; Max-Age=0/);
    assert.match(cookies.join("\n"), /argocd\.token=ey.*; Path=\/; SameSite=Lax; HttpOnly/);
    const who = { loggedIn: true, username: "ann@example.com", iss: provider.url, groups: ann.groups };
    const { expiresAt, ...told } = Object(await info(token));
    assert.deepEqual(told, who);
    // It is refreshed until then.
    const days = (expiresAt - Date.now() / 1000) / 86_400;
    assert.ok(days > 29 && days <= 30, `${days}`);
    assert.equal(await statusFor(token), 200);
    const create = { body: { project: { metadata: { name: "x" }, spec: {} } }, token };
    assert.equal((await api.request("POST", "/api/v1/projects", create)).status, 403);
  });

  test("a session that a page began counts with that page alone; a browser's link begins none", async () => {
    const { token } = await logIn(page);
    assert.equal(await statusFor(token, page), 200);
    assert.equal(await statusFor(token), 401);
    const { begun } = await begin({ accept: "text/html" }).catch(() => ({ begun: undefined }));
    assert.equal(begun, undefined);
    const link = await visit(`${api.url}/auth/login?return_url=/a`, { accept: "text/html" });
    assert.equal(link.headers.get("location"), "/login?return=%2Fa");
    assert.equal(link.headers.get("set-cookie"), null);
  });

  test("a return that leads elsewhere, is shown twice, or without its cookie is refused", async () => {
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      `${api.url}.evil.example/`,
    ]) {
      const answer = await visit(`${api.url}/auth/login?${new URLSearchParams({ return_url: to })}`);
      assert.equal(answer.status, 400, to);
    }
    const { back, state } = await logIn();
    const again = await visit(back, { cookie: state });
    assert.equal(again.status, 401);
    const { location, state: own } = await begin();
    const code = await toProvider(location);
    assert.equal((await visit(code)).status, 401);
    assert.equal((await visit(code, { cookie: state })).status, 401);
    assert.equal((await visit(code, { cookie: own })).status, 303);
  });

  test("a code that was stolen is worth nothing without what began the login", async () => {
    const victim = await toProvider((await begin()).location);
    const thief = await begin();
    const stolen = new URL(victim);
    stolen.searchParams.set("state", String(thief.location.searchParams.get("state")));
    const answer = await visit(stolen.href, { cookie: thief.state });
    assert.equal(answer.status, 401);
    assert.match(await answer.text(), /invalid_grant/);
  });

  test("tokens of another form than the provider's are refused, as a login and as a bearer", async () => {
    const now = Math.floor(Date.now() / 1000);
    const wrong = {
      "no signature": { signature: "none" },
      "the public key as a secret": { signature: "public" },
      "an unknown key": { signature: "other" },
      "another audience": { claims: { aud: "another" } },
      "no audience": { claims: { aud: undefined } },
      "another issuer": { claims: { iss: "https://evil.example" } },
      "an end in the past": { claims: { exp: now - 10 } },
      "no end": { claims: { exp: undefined } },
    } as const;
    for (const [fact, forged] of Object.entries(wrong)) {
      provider.forgeTokens(forged);
      assert.equal(await statusFor(await provider.makeIdToken("web")), 401, fact);
      assert.equal((await logIn()).done.status, 401, fact);
    }
    provider.forgeTokens({ claims: { nonce: "another" } });
    const { done, text } = await logIn();
    assert.equal(done.status, 401);
    assert.match(text, /answered another login/);
    provider.forgeTokens();
    assert.equal(await statusFor(await provider.makeIdToken("cli")), 200);
    assert.equal(await statusFor(await provider.makeIdToken("other")), 401);
  });

  test("a user or a group of the provider that is called as one of Capstan's own has nothing of it", async () => {
    for (const name of ["admin", "role:admin", "proj:default:x"]) {
      provider.forgeTokens({ claims: { sub: name, groups: [name] } });
      const token = await provider.makeIdToken("web");
      provider.forgeTokens();
      assert.equal(await statusFor(token), 200);
      assert.equal((await api.request("GET", "/api/v1/account/admin", { token })).status, 403, name);
      const body = { currentPassword: api.password, newPassword: "a new password 1" };
      assert.equal((await api.request("PUT", "/api/v1/account/password", { token, body })).status, 403, name);
    }
  });

  test("groups are those of the scopes: a text is one group, an unproven address none", async () => {
    const groupsWith = async (claims: Record<string, unknown>) => {
      provider.forgeTokens({ claims });
      const { groups } = await info(await provider.makeIdToken("web"));
      provider.forgeTokens();
      return groups;
    };
    assert.deepEqual(await groupsWith({ groups: "devs,ops" }), ["devs,ops"]);
    assert.deepEqual(await groupsWith({ groups: [1, "devs", null, ["x"]] }), ["devs"]);
    assert.deepEqual(await groupsWith({ groups: { devs: true } }), []);
    await patch("ConfigMap", "argocd-rbac-cm", { data: { scopes: "[roles, email]" } });
    await eventually(
      async () => ((await groupsWith({ roles: ["ops"] })) as unknown[])[0] === "ops" || undefined,
      {
        signal: signal(),
        describe: () => "scopes are not in force",
      },
    );
    assert.deepEqual(await groupsWith({ roles: ["ops"] }), ["ops", "ann@example.com"]);
    assert.deepEqual(await groupsWith({ roles: ["ops"], email_verified: false }), ["ops"]);
    await patch("ConfigMap", "argocd-rbac-cm", { data: { scopes: null } });
  });

  test("logging out ends the session here and leads to the provider's own end of it", async () => {
    await configure({
      logoutURL: `${provider.url}/logout?id_token_hint={{token}}&post_logout_redirect_uri={{logoutRedirectURL}}`,
    });
    const { token } = await logIn(page);
    const foreign = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const followed = { ...foreign, cookie: `argocd.token=${token}` };
    const kept = await open(new URL(`${api.url}/auth/logout`), { headers: followed });
    assert.equal(kept.location, "/");
    assert.equal(await statusFor(token, page), 200);
    const left = await visit(`${api.url}/auth/logout`, { cookie: `argocd.token=${token}` });
    const location = new URL(left.headers.get("location") ?? "");
    assert.equal(location.origin + location.pathname, `${provider.url}/logout`);
    assert.equal(location.searchParams.get("post_logout_redirect_uri"), api.url);
    assert.equal(decodeJwt(location.searchParams.get("id_token_hint") ?? "").sub, ann.sub);
    assert.match(left.headers.get("set-cookie") ?? "", /argocd\.token=; Max-Age=0/);
    assert.equal(await statusFor(token, page), 401);
  });

  test("a session near its end is refreshed once for all requests that come together, with a new cookie", async () => {
    await configure({ refreshTokenThreshold: "2h" });
    const { token } = await logIn();
    const before = provider.countOf("/token");
    const headers = { cookie: `argocd.token=${token}` };
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.request("GET", "/api/v1/account", { token: null, headers })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(provider.countOf("/token") - before, 1);
    assert.match(answers[0]?.headers.get("set-cookie") ?? "", /argocd\.token=ey/);
    provider.misanswer("/token", { status: 400, body: '{"error":"invalid_grant"}' });
    const { token: other } = await logIn().catch(() => ({ token: "" }));
    assert.equal(other, "");
    provider.misanswer("/token", undefined);
    const { token: kept } = await logIn();
    provider.misanswer("/token", { status: 500, body: "{}" });
    assert.equal(await statusFor(kept), 200, "while it has not ended the provider may be gone");
    provider.misanswer("/token", undefined);
    await configure();
  });

  test("groups of user info take the place of the token's; without them the session does not count", async () => {
    await configure({ enableUserInfoGroups: true, userInfoPath: "/userinfo", userInfoCacheExpiration: "5m" });
    const { token } = await logIn();
    const before = provider.countOf("/userinfo");
    assert.deepEqual((await info(token)).groups, ann.groups);
    assert.equal(provider.countOf("/userinfo"), before, "it is known from the login");
    provider.misanswer("/userinfo", { status: 200, body: '{"sub":"somebody else","groups":["devs"]}' });
    provider.logIn({ ...ann, sub: "u-bob" });
    assert.equal((await logIn()).done.status, 401);
    provider.misanswer("/userinfo", { status: 401, body: "{}" });
    assert.equal((await logIn()).done.status, 401);
    assert.equal(
      await statusFor(await provider.makeIdToken("web")),
      401,
      "an ID token alone reads no user info",
    );
    provider.misanswer("/userinfo", undefined);
    provider.logIn(ann);
    await configure();
  });

  test("keys may change; tokens of made-up keys have them asked for no more than now and then", async () => {
    const before = provider.countOf("/keys");
    for (let count = 0; count < 5; count += 1) {
      provider.forgeTokens({ signature: "other" });
      await statusFor(await provider.makeIdToken("web"));
    }
    provider.forgeTokens();
    assert.ok(provider.countOf("/keys") - before <= 1);
    await provider.rotateKeys();
    await configure();
    assert.equal(await statusFor(await provider.makeIdToken("web")), 200);
  });

  test("a provider that answers too much, leads on, or calls itself otherwise is not believed", async () => {
    const tell = async (path: string, answer: Parameters<OidcProvider["misanswer"]>[1]) => {
      provider.misanswer(path, answer);
      await configure();
      const status = await statusFor(await provider.makeIdToken("web"));
      provider.misanswer(path, undefined);
      return status;
    };
    const key = { kty: "RSA", n: "A".repeat(340), e: "AQAB" };
    const huge = JSON.stringify({ keys: [], pad: "x".repeat(2 * 1024 * 1024) });
    const many = JSON.stringify({ keys: Array.from({ length: 500 }, () => key) });
    assert.equal(await tell("/keys", { status: 200, body: huge }), 503);
    assert.equal(await tell("/keys", { status: 200, body: many }), 503);
    assert.equal(await tell("/keys", { status: 302, body: "", location: `${api.url}/healthz` }), 503);
    const discovery = "/.well-known/openid-configuration";
    assert.equal(await tell(discovery, { status: 200, body: '{"issuer":"https://evil.example"}' }), 503);
    assert.equal(await tell(discovery, { status: 200, body: "[" }), 503);
    await configure();
    assert.equal(await statusFor(await provider.makeIdToken("web")), 200);
  });

  test("settings say where to log in, and no secret; what cannot be read leaves the last good one in force", async () => {
    await patch("ConfigMap", "argocd-cm", {
      data: {
        "dex.config": "connectors: [{name: GitHub, type: github, config: {clientSecret: hidden}}]",
        "ui.loginButtonText": "Log in with Example",
        "oidc.config": "issuer: [",
      },
    });
    await eventually(async () => (await settings()).loginButtonText !== undefined || undefined, {
      signal: signal(),
      describe: () => "settings are not in force",
    });
    const shown = await settings();
    assert.ok(isRecord(shown.oidcConfig) && shown.oidcConfig.issuer === provider.url);
    assert.equal(shown.oidcConfig.cliClientID, "cli");
    assert.equal(shown.dexConfig, undefined, "oidc.config goes before it");
    assert.equal(shown.userLoginsDisabled, false);
    const text = JSON.stringify(shown);
    for (const secret of ["s:cret", "hidden", "BEGIN CERTIFICATE"]) assert.ok(!text.includes(secret), secret);
    await configure({}, { "admin.enabled": "false" });
    await eventually(async () => (await settings()).userLoginsDisabled === true || undefined, {
      signal: signal(),
      describe: () => "logins are still there",
    });
  });

  test("anonymous users have the default role's rights, with a token that does not count too", async () => {
    await configure({}, { "users.anonymous.enabled": "true" });
    assert.equal(await statusFor("no.such.token"), 200);
    await configure({}, { "users.anonymous.enabled": "false" });
    assert.equal(await statusFor("no.such.token"), 401);
  });

  test("neither log nor answers hold a code, a secret or a token", () => {
    const logged = api.logged();
    assert.match(logged, /login by the identity provider failed/);
    for (const secret of ["s:cret", "eyJ", "code=", "code_verifier"])
      assert.ok(!logged.includes(secret), `the log holds ${secret}`);
  });
});
