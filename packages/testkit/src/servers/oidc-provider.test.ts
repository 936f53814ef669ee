import assert from "node:assert/strict";
import { test } from "node:test";
import * as oidc from "openid-client";
import { type OidcProvider, startOidcProvider } from "../index.ts";

const redirectUri = "http://127.0.0.1:1/auth/callback";
const clients = [
  { id: "web", secret: "s:cret", redirectUris: [redirectUri] },
  { id: "cli", redirectUris: [redirectUri] },
];
const user = { sub: "u1", email: "ann@example.com", name: "Ann", groups: ["admins", "dev"] };
const scope = "openid profile email groups offline_access";
const open = () => startOidcProvider({ clients, user });

function discover(provider: OidcProvider, clientId: string, secret?: string): Promise<oidc.Configuration> {
  const insecure = { execute: [oidc.allowInsecureRequests] };
  const proof = secret === undefined ? oidc.None() : oidc.ClientSecretBasic(secret);
  return oidc.discovery(new URL(provider.url), clientId, undefined, proof, insecure);
}

/** What a browser does: follows the link and comes back to the client. */
async function visit(url: URL): Promise<URL> {
  const answer = await fetch(url, { redirect: "manual" });
  assert.equal(answer.status, 302, await answer.text());
  return new URL(answer.headers.get("location") ?? "");
}

async function logIn(config: oidc.Configuration) {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const code_challenge = await oidc.calculatePKCECodeChallenge(verifier);
  const query = {
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge,
    code_challenge_method: "S256",
  };
  const back = await visit(oidc.buildAuthorizationUrl(config, query));
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return { back, checks, tokens: () => oidc.authorizationCodeGrant(config, back, checks) };
}

for (const [clientId, secret] of [["web", "s:cret"], ["cli"]] as const) {
  test(`openid-client logs ${clientId} in by code with PKCE, refreshes and reads userinfo`, async () => {
    await using provider = await open();
    const config = await discover(provider, clientId, secret);
    const attempt = await logIn(config);
    const tokens = await attempt.tokens();
    assert.deepEqual(tokens.claims()?.groups, user.groups);
    assert.equal(tokens.claims()?.email, user.email);
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? "");
    assert.equal(refreshed.claims()?.sub, user.sub);
    const info = await oidc.fetchUserInfo(config, refreshed.access_token, user.sub);
    assert.deepEqual(info.groups, user.groups);
    await assert.rejects(attempt.tokens(), { error: "invalid_grant" });
    await assert.rejects(oidc.refreshTokenGrant(config, tokens.refresh_token ?? ""), {
      error: "invalid_grant",
    });
  });
}

test("openid-client logs a device in once the person agrees", async () => {
  await using provider = await open();
  const config = await discover(provider, "cli");
  const device = await oidc.initiateDeviceAuthorization(config, { scope });
  const waiting = oidc.pollDeviceAuthorizationGrant(config, device);
  provider.approveDevice(device.user_code);
  const tokens = await waiting;
  assert.equal(tokens.claims()?.email, user.email);
});

test("a wrong secret, verifier or redirect, and a person who says no, are refused", async () => {
  await using provider = await open();
  const wrong = await discover(provider, "web", "wrong");
  await assert.rejects((await logIn(wrong)).tokens(), { error: "invalid_client" });
  const config = await discover(provider, "web", "s:cret");
  const { back, checks } = await logIn(config);
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const other = oidc.authorizationCodeGrant(config, back, { ...checks, pkceCodeVerifier });
  await assert.rejects(other, { error: "invalid_grant" });
  const elsewhere = oidc.buildAuthorizationUrl(config, { redirect_uri: "http://evil.example/", scope });
  assert.equal((await fetch(elsewhere, { redirect: "manual" })).status, 400);
  provider.logIn(undefined);
  await assert.rejects((await logIn(config)).tokens(), { error: "access_denied" });
});

test("new keys are published in the place of the old", async () => {
  await using provider = await open();
  const kids = async () => JSON.stringify(await (await fetch(`${provider.url}/keys`)).json());
  const before = await kids();
  await provider.rotateKeys();
  assert.notEqual(await kids(), before);
  const config = await discover(provider, "cli");
  assert.ok(await (await logIn(config)).tokens());
});
