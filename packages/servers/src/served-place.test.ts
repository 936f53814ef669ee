import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { RpcClient } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const page = '<!doctype html><html><head><base href="/" /></head></html>';
const html = { accept: "text/html" };

let uiDir: string;
let api: ApiWorld;
let top: string;

before(async () => {
  uiDir = await mkdtemp(join(tmpdir(), "capstan-page-"));
  await writeFile(join(uiDir, "index.html"), page);
  api = await openApiWorld({ uiDir, place: { rootPath: "/tools/argocd", base: "/tools/argocd" } });
  top = new URL(api.url).origin;
});

after(async () => {
  await api?.[Symbol.asyncDispose]();
  await rm(uiDir, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(top + path, { headers, redirect: "manual" });

test("the root path is before all that the listener serves, and before what it says of itself", async () => {
  assert.equal(api.url, `${top}/tools/argocd`);
  assert.equal((await api.request("GET", "/api/v1/applications")).status, 200);
  assert.equal((await api.request("GET", "/swagger.json")).status, 200);
  assert.equal((await api.request("GET", "/healthz")).body, "ok");
});

test("the probe answers without the root path, and nothing else does", async () => {
  assert.equal(await (await get("/healthz")).text(), "ok");
  for (const path of [
    "/",
    "/api/version",
    "/tools",
    "/tools/argocdx/api/version",
    "/metrics",
    "//tools/argocd/",
  ]) {
    const answer = await get(path, html);
    assert.equal(answer.status, 404, path);
    assert.match(await answer.text(), /add \/tools\/argocd to the address/);
  }
});

test("the path itself leads to what is below it, and to no other host", async () => {
  const answer = await get("/tools/argocd?a=//evil.example");
  assert.equal(answer.status, 301);
  assert.equal(answer.headers.get("location"), "/tools/argocd/?a=//evil.example");
});

test("the page has its base at every address", async () => {
  for (const path of ["/", "/applications/argocd/x"]) {
    const text = await (await get(`/tools/argocd${path}`, html)).text();
    assert.equal(text, page.replace('href="/"', 'href="/tools/argocd/"'));
  }
});

test("a session's cookie belongs to the path, and opens what is below it", async () => {
  const body = { username: "admin", password: api.password };
  const answer = await api.request("POST", "/api/v1/session", { token: null, body });
  const cookie = answer.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^argocd\.token=[^;]+; Path=\/tools\/argocd; SameSite=Lax; HttpOnly$/);
});

test("a login by the provider stays below the path", async () => {
  const link = await get("/tools/argocd/auth/login?return_url=/tools/argocd/settings", html);
  assert.equal(link.headers.get("location"), "/tools/argocd/login?return=%2Fsettings");
  const out = await get("/tools/argocd/auth/logout");
  assert.equal(out.headers.get("location"), api.url);
});

test("gRPC-web is found below the path, and gRPC without it as well", async () => {
  const call = { method: "version.VersionService/Version", request: {}, signal: AbortSignal.timeout(60_000) };
  for (const [at, form] of [
    [api.url, "web"],
    [top, "grpc"],
  ] as const) {
    const answer = await new RpcClient(at, form).askOrRefusal(call);
    assert.match(JSON.stringify(answer), /v0\.0\.0-test/, `${form} at ${at}`);
  }
  const refused = await new RpcClient(top, "web").askOrRefusal(call);
  assert.ok("code" in refused, JSON.stringify(refused));
});
