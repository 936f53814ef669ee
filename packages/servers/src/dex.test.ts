import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually, startOidcProvider } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(100_000);
const connectors = "connectors: [{name: GitHub, type: github, id: github, config: {clientSecret: hidden}}]";
const page = { "x-capstan-page": "secret of the page" };
const opened = new AsyncDisposableStack();
let api: ApiWorld;

before(async () => {
  api = opened.use(await openApiWorld());
  await configMap("argocd-cm", { url: api.url, "dex.config": connectors });
});
after(() => opened.disposeAsync());

async function configMap(name: string, data: Record<string, string>): Promise<void> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "argocd" }, data };
  await api.world.kube.apply(object, { fieldManager: "test", force: true, signal: signal() });
}

const shownSettings = async () => {
  const { body } = await api.request("GET", "/api/v1/settings", { token: null });
  return isRecord(body) ? body : {};
};

/** Settles when the login of this server shows that Dex. */
async function useDex(server: string): Promise<void> {
  await configMap("argocd-cmd-params-cm", { "server.dex.server": server });
  const isUsed = async () => {
    const answer = await fetch(`${api.url}/api/dex/keys`);
    return answer.status === 404 || answer.headers.get("x-other") ? undefined : true;
  };
  await eventually(isUsed, { signal: signal(), describe: () => `${server} is not in force` });
}

const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, redirect: "manual" });

test("without an address of Dex its connectors are said, and nobody is offered a login by them", async () => {
  assert.equal((await visit(`${api.url}/api/dex/keys`)).status, 404);
  const { dexConfig, oidcConfig } = await shownSettings();
  assert.deepEqual([dexConfig, oidcConfig], [undefined, undefined]);
});

test("a person logs in by the Dex behind this server, whose pages are below its address", async () => {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
  const secret = await api.world.kube.get(ref, signal());
  const data = isRecord(secret?.data) ? secret.data : {};
  const key = Buffer.from(String(data["server.secretkey"]), "base64");
  const shared = createHash("sha256").update(key).digest("base64url").slice(0, 40);
  const issuer = `${api.url}/api/dex`;
  await using dex = await startOidcProvider({
    issuer,
    clients: [{ id: "argo-cd", secret: shared, redirectUris: [`${api.url}/auth/callback`] }],
    user: { sub: "u-ann", email: "ann@example.com", groups: ["devs"] },
  });
  await useDex(dex.url);
  const { dexConfig, oidcConfig } = await shownSettings();
  assert.deepEqual(
    [dexConfig, oidcConfig],
    [{ connectors: [{ name: "GitHub", type: "github" }] }, undefined],
  );
  const begun = await visit(`${api.url}/auth/login?return_url=/applications`, page);
  const state = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  const answer: unknown = await begun.json();
  const location = isRecord(answer) ? String(answer.location) : "";
  assert.ok(location.startsWith(`${issuer}/authorize?`), location);
  const back = (await visit(location)).headers.get("location") ?? "";
  assert.ok(back.startsWith(`${api.url}/auth/callback?`), back);
  const done = await visit(back, { cookie: state });
  assert.equal(done.headers.get("location"), `${api.url}/applications`);
  const token = /argocd\.token=([^;]+)/.exec(done.headers.get("set-cookie") ?? "")?.[1] ?? "";
  const info = await api.request("GET", "/api/v1/session/userinfo", { token, headers: page });
  assert.deepEqual(isRecord(info.body) && info.body.groups, ["devs"]);
});

test("what is passed on is Dex's alone: no cookie either way, no path above, no more than a form", async () => {
  const asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    response
      .writeHead(303, { location: "/api/dex/auth", "set-cookie": "argocd.token=tossed", "x-other": "1" })
      .end();
  });
  opened.defer(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  await configMap("argocd-cmd-params-cm", {
    "server.dex.server": `127.0.0.1:${typeof at === "object" && at ? at.port : 0}`,
    "server.dex.server.plaintext": "true",
  });
  const reaches = async () => (await visit(`${api.url}/api/dex/`)).status === 303 || undefined;
  await eventually(reaches, { signal: signal(), describe: () => "the other Dex is not in force" });
  asked.length = 0;
  const answer = await fetch(`${api.url}/api/dex/callback?state=1`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: "argocd.token=mine", "content-type": "application/x-www-form-urlencoded" },
    body: "SAMLResponse=a%3D",
  });
  assert.deepEqual(
    [answer.status, answer.headers.get("set-cookie"), answer.headers.get("x-other")],
    [303, null, null],
  );
  const [{ method, url, headers, body } = asked[0] ?? assert.fail("nobody asked")] = asked;
  assert.deepEqual(
    [method, url, body, headers.cookie],
    ["POST", "/api/dex/callback?state=1", "SAMLResponse=a%3D", undefined],
  );
  asked.length = 0;
  const { port } = new URL(api.url);
  // As it stands: fetch would resolve the dots itself.
  for (const path of ["/api/dex/%2e%2e/%2e%2e/metrics", "/api/dex/../../metrics", "/api/dex/./a/../b"]) {
    const sent = get({ host: "127.0.0.1", port, path, agent: false });
    const [answer] = await once(sent, "response");
    assert.equal(answer.resume().statusCode, path.endsWith("/b") ? 303 : 404, path);
  }
  assert.deepEqual(
    asked.map((one) => one.url),
    ["/api/dex/b"],
  );
  const large = await fetch(`${api.url}/api/dex/callback`, { method: "POST", body: "x".repeat(600 * 1024) });
  assert.equal(large.status, 413);
});
