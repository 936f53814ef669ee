import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { SignJWT } from "jose";

const signal = () => AbortSignal.timeout(100_000);

const soon = { signal: signal(), describe: () => "the settings are not in force" };

describe("tokens of accounts and of project roles", () => {
  let api: ApiWorld;
  const inControl = (kind: string, name: string) => ({ apiVersion: "v1", kind, namespace: "argocd", name });
  const patch = (kind: string, name: string, body: object) =>
    api.world.kube.patch(inControl(kind, name), { type: "merge", body }, { signal: signal() });
  const secretText = async (name: string, key: string) => {
    const secret = await api.world.kube.get(inControl("Secret", name), signal());
    const data = isRecord(secret?.data) ? secret.data : {};
    return Buffer.from(String(data[key] ?? ""), "base64").toString("utf8");
  };
  const call = async (method: string, path: string, options: Parameters<ApiWorld["request"]>[2] = {}) => {
    const { status, body } = await api.request(method, path, options);
    return { status, body: isRecord(body) ? body : {} };
  };
  const make = async (path: string, body: object) => {
    const answer = await call("POST", path, { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return String(answer.body.token);
  };
  const whoIs = async (token: string) => (await call("GET", "/api/v1/session/userinfo", { token })).body;
  const statusFor = async (token: string, path = "/api/v1/account") =>
    (await call("GET", path, { token })).status;
  const claimsOf = (token: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

  before(async () => {
    api = await openApiWorld();
    await patch("ConfigMap", "argocd-cm", {
      data: { "accounts.ci": "apiKey", "accounts.ann": "login, apiKey" },
    });
    await eventually(async () => (await statusOfAccount("ann")) === 200 || undefined, soon);
    const role = {
      name: "deploy",
      groups: ["devs"],
      policies: ["p, proj:team:deploy, applications, get, team/*, allow"],
    };
    const spec = { sourceRepos: ["*"], destinations: [{ server: "*", namespace: "*" }] };
    const projects = [
      { metadata: { name: "team" }, spec: { ...spec, roles: [role, { name: "other" }] } },
      { metadata: { name: "else" }, spec },
    ];
    for (const project of projects)
      assert.equal((await call("POST", "/api/v1/projects", { body: { project } })).status, 200);
  });
  after(() => api[Symbol.asyncDispose]());
  const statusOfAccount = async (name: string) => (await call("GET", `/api/v1/account/${name}`)).status;

  test("an account's token is listed as Argo CD writes it, counts, and counts no more once it is deleted", async () => {
    const token = await make("/api/v1/account/ci/token", { id: "build", expiresIn: 3600 });
    const { iat, exp, jti, sub, iss } = claimsOf(token);
    assert.deepEqual([jti, sub, iss, Number(exp) - Number(iat)], ["build", "ci:apiKey", "argocd", 3600]);
    assert.equal(
      await secretText("argocd-secret", "accounts.ci.tokens"),
      JSON.stringify([{ id: "build", iat, exp }]),
    );
    assert.equal((await whoIs(token)).username, "ci");
    const shown = await call("GET", "/api/v1/account/ci", { token });
    assert.deepEqual(shown.body.tokens, [{ id: "build", issuedAt: iat, expiresAt: exp }]);
    assert.equal((await call("DELETE", "/api/v1/account/ci/token/build", { token })).status, 200);
    assert.equal(await statusFor(token), 401);
    assert.equal(await secretText("argocd-secret", "accounts.ci.tokens"), "[]");
    assert.equal((await call("DELETE", "/api/v1/account/ci/token/build")).status, 404);
  });

  test("without an id one is made, without an end there is none, and an id is taken once", async () => {
    const token = await make("/api/v1/account/ci/token", {});
    const { jti, exp } = claimsOf(token);
    assert.equal(exp, undefined);
    const again = await call("POST", "/api/v1/account/ci/token", { body: { id: jti } });
    assert.match(JSON.stringify(again), /400.*has a token with the id/);
    const negative = await call("POST", "/api/v1/account/ci/token", { body: { expiresIn: -1 } });
    assert.match(JSON.stringify(negative), /400.*expiresIn/);
  });

  test("whoever has neither the capability nor the right gets none", async () => {
    const admin = await call("POST", "/api/v1/account/admin/token", { body: {} });
    assert.match(JSON.stringify(admin), /may have no tokens: set accounts.admin/);
    const ci = await make("/api/v1/account/ci/token", {});
    assert.equal((await call("POST", "/api/v1/account/ann/token", { token: ci, body: {} })).status, 403);
    assert.equal((await call("DELETE", "/api/v1/account/ann/token/x", { token: ci })).status, 403);
    const own = await call("POST", "/api/v1/account/ci/token", { token: ci, body: {} });
    assert.equal(own.status, 200);
  });

  test("a disabled account's tokens count no more", async () => {
    const token = await make("/api/v1/account/ann/token", {});
    await patch("ConfigMap", "argocd-cm", { data: { "accounts.ann.enabled": "false" } });
    await eventually(async () => (await statusFor(token)) === 401 || undefined, soon);
    await patch("ConfigMap", "argocd-cm", { data: { "accounts.ann.enabled": "true" } });
    await eventually(async () => (await statusFor(token)) === 200 || undefined, soon);
  });

  test("a role's token sees its project and no other; the project keeps it in both places, as Argo CD does", async () => {
    const token = await make("/api/v1/projects/team/roles/deploy/token", {
      id: "ci",
      expiresIn: 600,
      description: "x",
    });
    const { iat, exp, sub } = claimsOf(token);
    assert.equal(sub, "proj:team:deploy");
    const { body } = await call("GET", "/api/v1/projects/team", { token });
    assert.ok(isRecord(body.spec) && Array.isArray(body.spec.roles));
    const entry = { iat, exp, id: "ci" };
    assert.deepEqual(body.spec.roles[0].jwtTokens, [entry]);
    assert.deepEqual(body.status, { jwtTokensByRole: { deploy: { items: [entry] }, other: {} } });
    assert.equal(await statusFor(token, "/api/v1/projects/else"), 403);
    assert.equal((await whoIs(token)).username, "proj:team:deploy");
    const password = { newPassword: "long enough 1", currentPassword: "x" };
    assert.equal((await call("PUT", "/api/v1/account/password", { token, body: password })).status, 403);
    const path = `/api/v1/projects/team/roles/deploy/token/${iat}`;
    assert.equal((await call("DELETE", path, { token })).status, 403);
    assert.equal((await call("DELETE", `${path}?id=ci`)).status, 200);
    assert.equal(await statusFor(token, "/api/v1/projects/team"), 401);
    assert.equal((await call("DELETE", path)).status, 200, "one that is gone is no error");
  });

  test("a role that is removed takes its tokens along, also when one of its name is made anew", async () => {
    const token = await make("/api/v1/projects/team/roles/other/token", {});
    assert.equal(await statusFor(token, "/api/v1/projects/team"), 200);
    const { body: project } = await call("GET", "/api/v1/projects/team");
    const { spec } = project;
    assert.ok(isRecord(spec) && Array.isArray(spec.roles));
    const put = (roles: unknown[]) =>
      call("PUT", "/api/v1/projects/team", { body: { project: { ...project, spec: { ...spec, roles } } } });
    assert.equal((await put(spec.roles.slice(0, 1))).status, 200);
    assert.equal(await statusFor(token, "/api/v1/projects/team"), 401);
    assert.equal((await put([...spec.roles.slice(0, 1), { name: "other" }])).status, 200);
    assert.equal(await statusFor(token, "/api/v1/projects/team"), 401);
  });

  test("a session that is about to end is renewed by a cookie; a program's token is not", async () => {
    const key = Buffer.from(await secretText("argocd-secret", "server.secretkey"));
    const now = Math.floor(Date.now() / 1000);
    const make = (sub: string, left: number) =>
      new SignJWT({ sub, iss: "argocd", jti: `${sub}${left}`, iat: now, nbf: now - 1, exp: now + left })
        .setProtectedHeader({ alg: "HS256" })
        .sign(key);
    const renewedFor = async (headers: Record<string, string>) => {
      const answer = await api.request("GET", "/api/v1/account", { token: null, headers });
      assert.equal(answer.status, 200);
      return answer.headers.get("set-cookie");
    };
    const [ending, fresh] = [await make("admin:login", 200), await make("admin:login", 400)];
    const renewed = (await renewedFor({ cookie: `argocd.token=${ending}` })) ?? "";
    const claims = claimsOf(renewed.replace(/^argocd\.token=([^;]*);.*$/, "$1"));
    assert.deepEqual([claims.sub, Number(claims.exp) - Number(claims.iat)], ["admin:login", 200]);
    assert.notEqual(claims.jti, "admin:login200");
    assert.equal(await renewedFor({ cookie: `argocd.token=${fresh}` }), null);
    assert.equal(await renewedFor({ authorization: `Bearer ${ending}` }), null);
    const program = await call("POST", "/api/v1/account/ci/token", { body: { expiresIn: 100 } });
    assert.equal(await renewedFor({ cookie: `argocd.token=${program.body.token}` }), null);
  });

  test("the first password of the admin lies where people look for it", async () => {
    assert.equal(await secretText("argocd-initial-admin-secret", "password"), api.password);
  });
});
