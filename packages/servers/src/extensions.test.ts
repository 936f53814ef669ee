import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const signal = () => AbortSignal.timeout(60_000);
const server = "https://kubernetes.default.svc";

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly url: string | undefined;
}

describe("extensions", () => {
  const opened = new AsyncDisposableStack();
  let api: ApiWorld;
  let backend: string;
  let answer: (response: ServerResponse) => void;
  const heard: Heard[] = [];

  before(async () => {
    api = opened.use(await openApiWorld());
    const listener = createServer(async (request, response) => {
      heard.push({ headers: request.headers, url: request.url, body: await text(request) });
      answer(response);
    }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    opened.defer(() => {
      listener.closeAllConnections();
      listener.close();
    });
    const address = listener.address();
    backend = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
    const spec = {
      project: "default",
      source: { repoURL: "https://git.example/x", path: "." },
      destination: { server, namespace: "default" },
    };
    const body = { metadata: { name: "web" }, spec };
    assert.equal((await api.request("POST", "/api/v1/applications?validate=false", { body })).status, 200);
    await set("argocd-rbac-cm", { "policy.csv": "p, role:admin, extensions, invoke, one, allow" });
  });
  after(() => opened.disposeAsync());

  const set = (name: string, data: object) =>
    api.world.kube.apply(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "argocd" }, data },
      { fieldManager: "test", force: true, signal: signal() },
    );
  const ask = (path: string, { headers = {}, ...init }: RequestInit & { headers?: object } = {}) => {
    heard.length = 0;
    return fetch(api.url + path, {
      redirect: "manual",
      signal: signal(),
      headers: {
        "argocd-application-name": "argocd:web",
        "argocd-project-name": "default",
        cookie: `argocd.token=${api.token}`,
        ...headers,
      },
      ...init,
    });
  };
  const untilStatus = (path: string, status: number) =>
    eventually(async () => (await ask(path)).status === status || undefined, {
      signal: signal(),
      describe: () => `${path} does not answer ${status}`,
    });
  const configure = (services: object) =>
    set("argocd-cm", { "extension.config.one": JSON.stringify({ connectionTimeout: "1s", services }) });

  test("without server.enable.proxy.extension nothing is there, whoever asks", async () => {
    await configure([{ url: backend }]);
    assert.equal((await ask("/extensions/one/x")).status, 404);
    assert.equal((await ask("/extensions/one/x", { headers: { cookie: "" } })).status, 404);
    assert.deepEqual(heard, []);
    await set("argocd-cmd-params-cm", { "server.enable.proxy.extension": "true" });
    answer = (response) => response.end("hello");
    await untilStatus("/extensions/one/x", 200);
  });

  test("what this server says of who asks is nobody else's to say, in no spelling", async () => {
    const said = {
      "argocd-user-groups": "admins",
      Argocd_User_Groups: "admins",
      argocd_username: "root",
      "Argocd-Target_Cluster-Name": "prod",
      "argocd-target-cluster-name": "prod",
      "x-forwarded-for": "10.0.0.1",
      "x-capstan-page": "secret",
      token: "secret",
      authorization: "Bearer secret",
    };
    answer = (response) => response.end();
    assert.equal((await ask("/extensions/one/x", { headers: said })).status, 200);
    const { headers } = heard[0] ?? { headers: {} };
    const own = Object.entries(headers).filter(([name]) =>
      /^argocd|forwarded|cookie|auth|token|page/.test(name),
    );
    assert.deepEqual(Object.fromEntries(own), {
      "argocd-application-name": "argocd:web",
      "argocd-project-name": "default",
      "argocd-namespace": "argocd",
      "argocd-target-cluster-url": server,
      "argocd-user-id": "admin",
      "argocd-username": "admin",
      "x-forwarded-for": "127.0.0.1",
    });
  });

  test("no cookie of this address and no page comes from a backend", async () => {
    answer = (response) => {
      const theirs = { "set-cookie": "argocd.token=x", "content-type": "text/html", "x-own": "1" };
      response.writeHead(200, { ...theirs, "content-security-policy": "default-src *" }).end("<p>");
    };
    const { headers } = await ask("/extensions/one/page");
    assert.equal(headers.get("set-cookie"), null);
    assert.equal(headers.get("content-security-policy"), "default-src *, sandbox");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("x-own"), "1");
  });

  test("bodies go on as they come, whatever they are, and end with who sends them", async () => {
    answer = (response) => response.end();
    const large = "x".repeat(3_000_000);
    const headers = { "content-type": "application/x-own" };
    assert.equal((await ask("/extensions/one/put", { method: "PUT", body: large, headers })).status, 200);
    assert.equal(heard[0]?.body.length, large.length);
    const streamed = new Response("piece by piece").body;
    const sent = { method: "DELETE", body: streamed, duplex: "half", headers } as const;
    assert.equal((await ask("/extensions/one/delete", sent)).status, 200);
    assert.equal(heard[0]?.body, "piece by piece");
  });

  test("dots lead nowhere, and a page of another site asks for nothing", async () => {
    for (const path of ["/extensions/one/a%2f.%2E", "/extensions/one/%2e%2fx", "/extensions/one/a%2f..%2fb"])
      assert.equal((await ask(path)).status, 400, path);
    const foreign = { origin: "https://evil.example" };
    assert.equal((await ask("/extensions/one/x", { headers: foreign })).status, 403);
    assert.deepEqual(heard, []);
  });

  test("an answer goes on while it comes, until who asks goes away", async () => {
    let ended = false;
    answer = (response) => {
      response.on("close", () => {
        ended = true;
      });
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    };
    const going = new AbortController();
    const streamed = await ask("/extensions/one/events", { signal: going.signal });
    const reader = streamed.body?.getReader();
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "data: 1\n\n");
    going.abort();
    await eventually(() => ended || undefined, { signal: signal(), describe: () => "the backend goes on" });
  });

  test("settings that cannot be used change nothing; those that can do at once; answers are counted", async () => {
    answer = (response) => response.writeHead(201).end();
    await configure([]);
    const problem = () =>
      api.world.settings.current.problems.find(({ field }) => field.startsWith("extension"));
    await eventually(() => problem(), { signal: signal(), describe: () => "no problem is said" });
    assert.equal((await ask("/extensions/one/x")).status, 201);
    await configure([{ url: "http://127.0.0.1:9" }]);
    await untilStatus("/extensions/one/x", 502);
    const metrics = await api.request("GET", "/metrics");
    const counted = 'argocd_proxy_extension_request_total{extension="one",status="201"} 1';
    assert.ok(String(metrics.body).includes(counted), String(metrics.body).slice(-2000));
    assert.ok(!/extension="(?!one)/.test(String(metrics.body)));
  });
});
