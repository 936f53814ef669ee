import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { lackingRealVault, type RealVault, startRealVault } from "@capstan/testkit";
import { configMap, fill, newTokens, oneValue } from "./fill.ts";

const skip = lackingRealVault();
const path = "secret/data/app/web";

/** A secret, and a policy that lets it be read. */
async function startVault(): Promise<RealVault> {
  const vault = await startRealVault();
  await vault.ask(`POST ${path}`, { data: { password: "one" } });
  await vault.ask("POST secret/data/other", { data: { password: "two" } });
  const policy = 'path "secret/data/app/*" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/app", { policy });
  return vault;
}

async function createToken({ ask }: RealVault, options: object): Promise<string> {
  const { auth } = await ask("POST auth/token/create", { policies: ["app"], ...options });
  return Object(auth).client_token;
}

/** The settings of a role whose tokens are as `options` say. */
async function createRole({ ask, address }: RealVault, options: object): Promise<Record<string, string>> {
  await ask("POST sys/auth/approle", { type: "approle" });
  await ask("POST auth/approle/role/web", { token_policies: ["app"], ...options });
  const role = Object((await ask("GET auth/approle/role/web/role-id")).data);
  const secret = Object((await ask("POST auth/approle/role/web/secret-id", {})).data);
  const ids = { AVP_ROLE_ID: role.role_id, AVP_SECRET_ID: secret.secret_id };
  return { VAULT_ADDR: address, AVP_AUTH_TYPE: "approle", ...ids };
}

async function counts(vault: RealVault): Promise<{ logins: number; renewals: number }> {
  const audited = await vault.audited();
  const count = (what: string) => audited.filter((one) => one === what).length;
  return { logins: count("update auth/approle/login"), renewals: count("update auth/token/renew-self") };
}

const revokeAll = ({ ask }: RealVault) => ask("PUT sys/leases/revoke-prefix/auth/approle/login");

test("a token that is unknown, expired, revoked, used up, or refused by its policies", { skip }, async () => {
  await using vault = await startVault();
  const read = async (token: string, address = `${path}#password`) => {
    const told = await oneValue({ VAULT_ADDR: vault.address, VAULT_TOKEN: token }, address).catch(String);
    assert.ok(!String(told).includes(token), "no message has the token");
    return told;
  };
  const unknown =
    /password at secret\/data\/app\/web: permission denied: Vault does not know the token, it has expired or was revoked$/;
  assert.match(String(await read("s.nobody")), unknown);
  const twice = await createToken(vault, { num_uses: 1 });
  assert.equal(await read(twice), "one");
  assert.match(String(await read(twice)), unknown);
  const revoked = await createToken(vault, {});
  assert.equal(await read(revoked), "one");
  await vault.ask("POST auth/token/revoke", { token: revoked });
  assert.match(String(await read(revoked)), unknown);
  const refused =
    /password at secret\/data\/other: permission denied \(1 error occurred: \* permission denied\s*\)$/;
  const short = await createToken(vault, { ttl: "1s" });
  assert.match(String(await read(short, "secret/data/other#password")), refused);
  await sleep(2500);
  assert.match(String(await read(short)), unknown);
  const bare = await createToken(vault, { no_default_policy: true });
  assert.match(String(await read(bare, "secret/data/other#password")), refused, "it cannot look itself up");
});

test("one login serves many renders; revoked between two of them it is one login more", {
  skip,
}, async () => {
  await using vault = await startVault();
  const env = await createRole(vault, { token_ttl: "1h" });
  const tokens = newTokens();
  for (let renders = 0; renders < 3; renders += 1)
    assert.equal(await oneValue(env, `${path}#password`, { tokens }), "one");
  assert.deepEqual(await counts(vault), { logins: 1, renewals: 0 });
  await revokeAll(vault);
  const many = Array.from({ length: 60 }, (_, at) => `secret/data/app/${at}`);
  for (const one of many) await vault.ask(`POST ${one}`, { data: { password: one } });
  const each = Object.fromEntries(many.map((one, at) => [`k${at}`, `<path:${one}#password>`]));
  assert.deepEqual(Object.values(Object(await fill(env, configMap(each), { tokens }))), many);
  assert.deepEqual(await counts(vault), { logins: 2, renewals: 0 });
});

test("what a role may do now counts for the next render, and a refusal costs a render one login", {
  skip,
}, async () => {
  await using vault = await startVault();
  const env = await createRole(vault, { token_ttl: "1h" });
  const tokens = newTokens();
  const render = () =>
    fill(env, configMap({ a: `<path:${path}#password>`, b: "<path:secret/data/other#password>" }), {
      tokens,
    });
  await assert.rejects(render(), /password at secret\/data\/other: permission denied/);
  const { logins } = await counts(vault);
  assert.equal(logins, 2);
  const policy = 'path "secret/data/other" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/other", { policy });
  await vault.ask("POST auth/approle/role/web", { token_policies: ["app", "other"] });
  assert.deepEqual(await render(), { a: "one", b: "two" });
  assert.equal((await counts(vault)).logins, 3);
});

test("a short token is renewed while the role lets it be, and then got anew", { skip }, async () => {
  await using vault = await startVault();
  const env = await createRole(vault, { token_ttl: "4s", token_max_ttl: "7s" });
  const tokens = newTokens();
  const render = () => oneValue(env, `${path}#password`, { tokens });
  const many = Array.from({ length: 40 }, render);
  assert.deepEqual(new Set(await Promise.all(many)), new Set(["one"]));
  assert.deepEqual(await counts(vault), { logins: 1, renewals: 0 });
  await sleep(3200);
  assert.equal(await render(), "one");
  assert.deepEqual(await counts(vault), { logins: 1, renewals: 1 });
  await sleep(4500);
  assert.equal(await render(), "one");
  assert.equal((await counts(vault)).logins, 2);
});

test("a role whose tokens are good for few requests", { skip }, async () => {
  await using vault = await startVault();
  const env = await createRole(vault, { token_num_uses: 3 });
  const tokens = newTokens();
  for (let renders = 0; renders < 8; renders += 1)
    assert.equal(await oneValue(env, `${path}#password`, { tokens }), "one");
  assert.equal((await counts(vault)).logins, 3);
});
