import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createSelfMadeCertificate, eventually, RpcClient, sketchApplication } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { Code, ConnectError } from "@connectrpc/connect";

const limit = () => AbortSignal.timeout(100_000);

interface Asked {
  over?: RpcClient;
  token?: string;
}

describe("gRPC beside REST on one port", () => {
  let api: ApiWorld;
  let grpc: RpcClient;
  let web: RpcClient;

  before(async () => {
    api = await openApiWorld();
    grpc = new RpcClient(api.url);
    web = new RpcClient(api.url, "web");
    const app = sketchApplication({ name: "shop", repoURL: "https://127.0.0.1:1/shop.git", path: "." });
    await api.world.kube.create(app, { signal: limit() });
  });
  after(() => api[Symbol.asyncDispose]());

  const ask = (method: string, request: object, { over = grpc, token = api.token }: Asked = {}) =>
    over.ask({ method, request, token, signal: limit() });
  const askOnce = (...given: Parameters<typeof ask>) =>
    ask(...given)
      .next()
      .then(({ value }) => value);

  const refusal = (code: Code, message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof ConnectError);
    assert.equal(error.code, code);
    assert.match(error.rawMessage, message);
    return true;
  };

  test("a call answers the same by gRPC, gRPC-web and REST", async () => {
    const rest = await fetch(`${api.url}/api/v1/projects/default`, {
      headers: { authorization: `Bearer ${api.token}` },
    });
    const { apiVersion, kind, ...project } = (await rest.json()) as Record<string, unknown>;
    assert.equal(`${apiVersion} ${kind}`, "argoproj.io/v1alpha1 AppProject");
    for (const over of [grpc, web]) {
      const answer = (await askOnce(
        "project.ProjectService/Get",
        { name: "default" },
        { over },
      )) as typeof project;
      assert.deepEqual(answer.spec, project.spec);
    }
  });

  test("a stream gives what there is, then what changes, until the caller leaves", async () => {
    for (const over of [grpc, web]) {
      const events = ask("application.ApplicationService/Watch", { name: "shop" }, { over });
      const { value } = await events.next();
      assert.equal(
        (value as { application: { metadata: { name: string } } }).application.metadata.name,
        "shop",
      );
      await events.return();
    }
  });

  test("refusals are sentences with a code", async () => {
    const noToken = askOnce("application.ApplicationService/List", {}, { token: "" });
    await assert.rejects(noToken, refusal(Code.Unauthenticated, /no token/));
    const bad = askOnce("application.ApplicationService/List", {}, { token: "x", over: web });
    await assert.rejects(bad, refusal(Code.Unauthenticated, /token is not valid/));
    const missing = askOnce("application.ApplicationService/Get", { name: "none", project: "default" });
    await assert.rejects(missing, refusal(Code.NotFound, /none/));
    const unreadable = askOnce("application.ApplicationService/Sync", {
      name: "shop",
      retryStrategy: { limit: 2 ** 60 },
    });
    await assert.rejects(unreadable, (error) => error instanceof ConnectError);
  });

  test("a refusal over gRPC-web stands in the headers, where argocd looks for it", async () => {
    const answer = await fetch(`${api.url}/application.ApplicationService/Get`, {
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto", token: api.token },
      body: new Uint8Array([0, 0, 0, 0, 6, 10, 4, ...Buffer.from("none")]),
    });
    assert.equal(answer.headers.get("grpc-status"), "5");
    assert.match(answer.headers.get("grpc-message") ?? "", /none/);
    await answer.body?.cancel();
  });

  test("what a message has no words for stays when an object is changed by gRPC", async () => {
    const gpg = { mode: "strict", keys: ["4AEE18F83AFDEB23"] };
    const sourceIntegrity = { git: { policies: [{ repos: [{ url: "*" }], gpg }] } };
    const project = { metadata: { name: "strict" }, spec: { description: "before", sourceIntegrity } };
    await api.request("POST", "/api/v1/projects", { body: { project } });
    const shown = (await askOnce("project.ProjectService/Get", { name: "strict" })) as typeof project;
    assert.equal(shown.spec.sourceIntegrity, undefined);
    shown.spec.description = "after";
    await askOnce("project.ProjectService/Update", { project: shown });
    const { body } = await api.request("GET", "/api/v1/projects/strict");
    const { spec } = body as typeof project;
    assert.deepEqual([spec.description, spec.sourceIntegrity], ["after", sourceIntegrity]);
  });

  test("a message holds as much as an address may say", async () => {
    const asked = { resource: "applications", action: "get", subresource: `team/${"a".repeat(1_500)}` };
    assert.deepEqual(await askOnce("account.AccountService/CanI", asked), { value: "yes" });
  });

  test("a message larger than its method takes is refused", async () => {
    const large = askOnce("account.AccountService/CanI", { resource: "x".repeat(100_000) });
    await assert.rejects(large, refusal(Code.ResourceExhausted, /larger|bytes/));
    const manifests = askOnce("application.ApplicationService/ServerSideDiff", {
      appName: "shop",
      targetManifests: [`kind: "${"x".repeat(100_000)}`],
    });
    await assert.rejects(
      manifests,
      refusal(Code.FailedPrecondition, /invalid manifest in the request: document 1/),
    );
  });

  test("a message of too many values is refused before it is made into them", async () => {
    const sources = Array.from({ length: 300_000 }, () => ({}));
    for (const over of [grpc, web]) {
      const request = { application: { metadata: { name: "many" }, spec: { sources } } };
      const many = askOnce("application.ApplicationService/Create", request, { over });
      await assert.rejects(many, refusal(Code.InvalidArgument, /more than 250000 values/));
    }
  });

  test("REST answers over HTTP/2 too", async () => {
    const session = connectHttp2(api.url);
    const request = session.request({ ":path": "/api/version" });
    const body = (await request.setEncoding("utf8").toArray()).join("");
    session.close();
    assert.match(body, /"Version"/);
  });

  /** What a TLS client is shown. */
  async function shownCertificate(protocol: string): Promise<string> {
    const { port } = new URL(api.url);
    const socket = connectTls({ port: Number(port), rejectUnauthorized: false, ALPNProtocols: [protocol] });
    await once(socket, "secureConnect");
    assert.equal(socket.alpnProtocol, protocol);
    const [body, text] = [socket.getPeerCertificate().raw.toBase64(), socket.getPeerCertificate().subject.CN];
    socket.destroy();
    return `${text} ${body}`;
  }

  test("TLS on the same port: the settings' certificate, else one of our own that is kept", async () => {
    const own = await shownCertificate("h2");
    const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
    const kept = async () => (await api.world.kube.get(ref, limit()))?.data as Record<string, string>;
    assert.ok((await kept())["tls.crt"]);
    assert.equal(await shownCertificate("http/1.1"), own);
    const given = createSelfMadeCertificate({ commonName: "given", names: ["localhost"] }, Date.now());
    const metadata = { name: "argocd-server-tls", namespace: "argocd" };
    const write = (stringData: object) =>
      api.world.kube.apply(
        { apiVersion: "v1", kind: "Secret", metadata, stringData },
        {
          fieldManager: "test",
          force: true,
          signal: limit(),
        },
      );
    await write({ "tls.crt": given.certificate, "tls.key": given.key });
    const until = (isSo: () => boolean | Promise<boolean>) =>
      eventually(async () => (await isSo()) || undefined, { signal: limit(), describe: () => "never" });
    await until(async () => (await shownCertificate("h2")).startsWith("given "));
    await write({ "tls.crt": "broken", "tls.key": given.key });
    await until(() => api.world.settings.current.serverTls?.certificate === "broken");
    assert.match(await shownCertificate("h2"), /^given /);
    const over = new RpcClient(api.url.replace("http:", "https:"));
    const answer = (await askOnce("project.ProjectService/Get", { name: "default" }, { over })) as object;
    assert.ok("spec" in answer);
  });

  test("a request that comes byte by byte is read as what it is", async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname).setNoDelay();
    for (const byte of "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      await new Promise((resolve) => socket.write(byte, () => setImmediate(resolve)));
    const answer = (await socket.setEncoding("utf8").toArray()).join("");
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  test("who is refused while the message is on its way reads why", async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const said = once(socket, "data");
    const head = ["content-type: application/grpc-web+proto", "authorization: Bearer made-up"];
    socket.write(
      [
        `POST /project.ProjectService/Get HTTP/1.1`,
        "host: localhost",
        ...head,
        "content-length: 5",
        "",
        "",
      ].join("\r\n"),
    );
    assert.match(String(await said), /grpc-status: 16/);
    await fetch(`${api.url}/api/version`);
    assert.equal(socket.readableEnded, false, "the connection ended before the message was there");
    socket.write(Buffer.alloc(5));
    await once(socket, "end");
  });

  test("a page of another site may not call", async () => {
    const answer = await fetch(`${api.url}/application.ApplicationService/List`, {
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto", origin: "https://evil.example" },
      body: new Uint8Array(5),
    });
    assert.equal(answer.headers.get("grpc-status"), "7");
    await answer.body?.cancel();
  });

  test("what no method has is said so", async () => {
    const answer = await fetch(`${api.url}/application.ApplicationService/Nothing`, {
      method: "POST",
      headers: { "content-type": "application/grpc-web+proto" },
      body: new Uint8Array(5),
    });
    assert.equal(answer.headers.get("grpc-status"), "12");
    await answer.body?.cancel();
  });
});
