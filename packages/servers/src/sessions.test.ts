import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ApiWorld, openApiWorld } from "@capstan/testkit";

describe("sessions, errors and the page", () => {
  let api: ApiWorld;
  let uiDir: string;
  before(async () => {
    uiDir = await mkdtemp(join(tmpdir(), "capstan-ui-"));
    await writeFile(join(uiDir, "index.html"), "<!doctype html><title>page</title>");
    api = await openApiWorld({ uiDir });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(uiDir, { recursive: true });
  });

  const login = (username: string, password: string) =>
    api.request("POST", "/api/v1/session", { token: null, body: { username, password } });

  test("a call without a token is refused in grpc-gateway's words", async () => {
    const { status, body } = await api.request("GET", "/api/v1/applications", { token: null });
    assert.equal(status, 401);
    const message = "not logged in: the request carries no token";
    assert.deepEqual(body, { error: message, code: 16, message });
  });

  test("a wrong password and an unknown name get the same answer", async () => {
    const wrong = await login("admin", "wrong");
    const unknown = await login("nobody", "wrong");
    assert.equal(wrong.status, 401);
    assert.deepEqual(wrong.body, unknown.body);
    assert.match(JSON.stringify(wrong.body), /invalid username or password/);
  });

  test("the right one gives a token, in the body and as a cookie that scripts cannot read", async () => {
    const { status, headers, body } = await login("admin", api.password);
    assert.equal(status, 200);
    const cookie = headers.get("set-cookie") ?? "";
    assert.match(cookie, /^argocd\.token=ey.*; Path=\/; SameSite=Lax; HttpOnly$/);
    const info = await api.request("GET", "/api/v1/session/userinfo", {
      token: null,
      headers: { cookie: cookie.split(";")[0] ?? "" },
    });
    assert.deepEqual(info.body, { loggedIn: true, username: "admin", iss: "argocd", groups: [] });
    assert.equal(typeof body, "object");
  });

  test("a token that was logged out counts no more", async () => {
    const { body } = await login("admin", api.password);
    const token = typeof body === "object" && body !== null && "token" in body ? String(body.token) : "";
    assert.equal((await api.request("GET", "/api/v1/applications", { token })).status, 200);
    await api.request("DELETE", "/api/v1/session", { token });
    const { status, body: refused } = await api.request("GET", "/api/v1/applications", { token });
    assert.equal(status, 401);
    assert.match(JSON.stringify(refused), /revoked/);
  });

  test("a token signed by somebody else is refused", async () => {
    const forged = `${api.token.slice(0, -4)}AAAA`;
    assert.equal((await api.request("GET", "/api/v1/applications", { token: forged })).status, 401);
  });

  test("settings and version say less to somebody who is not logged in", async () => {
    const open = await api.request("GET", "/api/v1/settings", { token: null });
    const full = await api.request("GET", "/api/v1/settings");
    assert.equal(open.status, 200);
    assert.ok(!JSON.stringify(open.body).includes("controllerNamespace"));
    assert.ok(JSON.stringify(full.body).includes('"controllerNamespace":"argocd"'));
    assert.ok(JSON.stringify(open.body).includes('"simulatedCluster":true'));
  });

  test("a change needs the content type that no form can send", async () => {
    const { status, body } = await api.request("POST", "/api/v1/applications", {
      headers: { "content-type": "text/plain" },
      body: "{}",
    });
    assert.equal(status, 415);
    assert.match(JSON.stringify(body), /Content-Type \\"text\/plain\\" is not accepted/);
  });

  test("a body that is no JSON, and a parameter that cannot be read, are named", async () => {
    const broken = await api.request("POST", "/api/v1/applications", { body: "{" });
    assert.equal(broken.status, 400);
    assert.match(JSON.stringify(broken.body), /the body is not JSON/);
    const unreadable = await api.request("DELETE", "/api/v1/applications/x?cascade=maybe");
    assert.equal(unreadable.status, 400);
    assert.match(JSON.stringify(unreadable.body), /cascade: \\"maybe\\" is neither true nor false/);
  });

  test("an unknown address below /api is JSON, elsewhere it is the page", async () => {
    assert.equal((await api.request("GET", "/api/v1/nothing")).status, 404);
    const page = await api.request("GET", "/applications/argocd/web", { headers: { accept: "text/html" } });
    assert.equal(page.status, 200);
    assert.match(String(page.body), /<title>page/);
    assert.equal(page.headers.get("x-frame-options"), "sameorigin");
    assert.match(page.headers.get("content-security-policy") ?? "", /frame-ancestors 'self'/);
  });

  test("a file outside of the page's folder is not served", async () => {
    const answer = await fetch(`${api.url}/..%2f..%2fetc/passwd`, { headers: { accept: "text/html" } });
    assert.ok(!(await answer.text()).includes("root:"));
  });

  test("health and metrics need no login", async () => {
    assert.equal((await api.request("GET", "/healthz", { token: null })).body, "ok");
    const { body } = await api.request("GET", "/metrics", { token: null });
    assert.match(String(body), /argocd_login_request_total\{status="failure"\} [1-9]/);
  });
});
