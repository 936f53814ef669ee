import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

describe("sessions, errors and the page", () => {
  let api: ApiWorld;
  let uiDir: string;
  before(async () => {
    uiDir = await mkdtemp(join(tmpdir(), "capstan-ui-"));
    await writeFile(join(uiDir, "index.html"), "<!doctype html><title>page</title>");
    api = await openApiWorld({ uiDir, allowedHosts: ["capstan.example.com", "second.example.com:8443"] });
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
    assert.match(JSON.stringify(wrong.body), /Invalid username or password/);
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

  test("a session of a page counts with the page's secret alone, as a cookie and as a bearer", async () => {
    const page = { "x-capstan-page": "secret-of-the-page" };
    const body = { username: "admin", password: api.password };
    const answer = await api.request("POST", "/api/v1/session", { token: null, headers: page, body });
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const token = cookie.slice(cookie.indexOf("=") + 1);
    const statusOf = async (headers: Record<string, string>) =>
      (await api.request("GET", "/api/v1/applications", { token: null, headers })).status;
    for (const shown of [{ cookie }, { authorization: `Bearer ${token}` }]) {
      assert.equal(await statusOf({ ...shown, ...page }), 200);
      assert.equal(await statusOf(shown), 401);
      assert.equal(await statusOf({ ...shown, "x-capstan-page": "another" }), 401);
    }
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

  test("the page is answered at / whatever Accept says", async () => {
    const page = await fetch(`${api.url}/`, { headers: { accept: "application/json" } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>page/);
  });

  test("health needs no login; metrics, which name all applications, need somebody who may see them", async () => {
    assert.equal((await api.request("GET", "/healthz", { token: null })).body, "ok");
    assert.equal((await api.request("GET", "/metrics", { token: null })).status, 401);
    const { body } = await api.request("GET", "/metrics");
    assert.match(String(body), /argocd_login_request_total\{status="failure"\} [1-9]/);
  });

  test("metrics have a port of their own without a token, for names that are known", async () => {
    const { url } = await api.listenMetrics({ host: "127.0.0.1", port: 0 });
    assert.match(await (await fetch(`${url}/metrics`)).text(), /argocd_login_request_total/);
    assert.equal((await fetch(`${url}/api/v1/applications`)).status, 404);
    assert.equal((await raw(url, { path: "/metrics", headers: { host: "evil.example" } })).status, 403);
  });

  const withCookie = () => ({ cookie: `argocd.token=${api.token}` });

  test("an encoded address is judged as what it means: a form of another site changes nothing", async () => {
    const application = JSON.stringify({ metadata: { name: "forged" }, spec: {} });
    for (const path of ["/%61pi/v1/applications", "/api/v1/%61pplications", "/api/v1/applications"]) {
      for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data", ""]) {
        const headers = { ...withCookie(), ...(type ? { "content-type": type } : {}) };
        const { status } = await raw(api.url, { method: "POST", path, headers, body: application });
        assert.equal(status, 415, `${path} ${type}`);
      }
    }
    assert.equal((await api.request("GET", "/api/v1/applications/forged")).status, 404);
  });

  test("a name that nobody listed is refused, and told which flag lists it", async () => {
    for (const path of ["/", "/api/v1/applications", "/api/v1/settings", "/index.html"]) {
      const answer = await raw(api.url, { path, headers: { ...withCookie(), host: "evil.example:8080" } });
      assert.equal(answer.status, 403, path);
      assert.match(answer.text, /--allowed-host evil\.example:8080/);
    }
    for (const host of [
      "localhost:8080",
      "127.0.0.1",
      "[::1]:1",
      "capstan.example.com",
      "second.example.com",
    ])
      assert.equal((await raw(api.url, { path: "/api/version", headers: { host } })).status, 200, host);
  });

  test("pages of other origins, other ports of this machine too, may not call", async () => {
    const json = { ...withCookie(), "content-type": "application/json" };
    const foreign = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      for (const method of ["POST", "GET"]) {
        const answer = await raw(api.url, {
          method,
          path: "/api/v1/applications",
          headers: { ...json, ...headers },
        });
        assert.equal(answer.status, 403, JSON.stringify(headers));
      }
    }
    const own = { ...json, origin: api.url, "sec-fetch-site": "same-origin" };
    assert.equal((await raw(api.url, { path: "/api/v1/applications", headers: own })).status, 200);
    const listed = { ...json, origin: "https://capstan.example.com" };
    assert.equal((await raw(api.url, { path: "/api/v1/applications", headers: listed })).status, 200);
    const opened = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    assert.equal((await raw(api.url, { path: "/", headers: opened })).status, 200);
  });

  test("a body is read only as far as its route declares, and never before the token is known", async () => {
    const body = JSON.stringify({ username: "admin", password: "x".repeat(20_000) });
    assert.equal((await api.request("POST", "/api/v1/session", { token: null, body })).status, 413);
    const large = "x".repeat(4 * 1024 * 1024);
    assert.equal((await api.request("POST", "/api/v1/applications", { body: large })).status, 413);
    assert.equal(
      (await api.request("POST", "/api/v1/applications", { token: null, body: large })).status,
      401,
    );
    assert.equal((await api.request("POST", "/nothing", { token: null, body: large })).status, 413);
  });

  test("a webhook of a stranger is read up to 5 MB", async () => {
    const headers = { "x-github-event": "push" };
    const body = `{"x":"${"x".repeat(5 * 1024 * 1024)}"}`;
    const answer = await api.request("POST", "/api/webhook", { token: null, headers, body });
    assert.equal(answer.status, 413);
    assert.match(String(answer.body), /webhook\.maxPayloadSizeMB/);
    const small = await api.request("POST", "/api/webhook", { token: null, headers, body: "{}" });
    assert.equal(small.status, 200);
  });

  test("requests asked ahead on one connection are bounded", async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const one = "GET /api/v1/applications HTTP/1.1\r\nHost: localhost\r\n\r\n";
    socket.write(one.repeat(200));
    let text = "";
    for await (const piece of socket) text += String(piece);
    assert.ok(text.split("HTTP/1.1").length < 50);
  });
});

interface RawRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** fetch sets some of these headers by itself. */
async function raw(url: string, { method = "GET", path, headers = {}, body }: RawRequest) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path, headers, agent: false });
  sent.end(body);
  const [answer] = await once(sent, "response");
  return { status: Number(answer.statusCode), text: await text(answer) };
}
