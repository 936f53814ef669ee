import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Agent, request as requestHttps } from "node:https";
import { type TestContext, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { type Clock, systemClock } from "@capstan/flow";
import type { EmbeddedCluster } from "../start-cluster.ts";
import { TestCluster, temporaryFolder } from "./test-cluster.ts";

const maps = "/api/v1/namespaces/default/configmaps";

interface Served {
  cluster: EmbeddedCluster;
  port: number;
  ca: string;
  authorization: string;
}

async function serve(t: TestContext): Promise<Served> {
  const { cluster } = await TestCluster.start(t);
  const { port } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  return { cluster, port, ca: cluster.caCertificate(), authorization: `Bearer ${cluster.adminToken}` };
}

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

async function ask(
  { port, ca, authorization }: Served,
  sent: Sent,
): Promise<{ status: number; text: string }> {
  const { path, method = "GET", headers = { authorization }, body } = sent;
  const request = requestHttps({ host: "localhost", port, ca, path, method, headers });
  request.end(body);
  const [response] = await once(request, "response");
  let text = "";
  for await (const piece of response) text += piece;
  return { status: response.statusCode, text };
}

test("the certificate is of the cluster's own authority, and good for the loopback names", async (t) => {
  const served = await serve(t);
  assert.equal((await ask(served, { path: "/readyz" })).text, "ok");
  await assert.rejects(ask({ ...served, ca: "" }, { path: "/readyz" }), {
    code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  });
});

test("a restart keeps authority, certificate and token", async (t) => {
  const dataDir = temporaryFolder(t);
  const facts = async () => {
    const { cluster } = await TestCluster.start(t, dataDir);
    const { port } = await cluster.listen({ host: "127.0.0.1", port: 0 });
    const socket = connectTls({ host: "localhost", port, ca: cluster.caCertificate() });
    await once(socket, "secureConnect");
    const certificate = socket.getPeerX509Certificate()?.fingerprint256;
    socket.destroy();
    const kept = [cluster.caCertificate(), cluster.adminToken, certificate];
    await cluster.close();
    return kept;
  };
  assert.deepEqual(await facts(), await facts());
});

test("a body that does not arrive is not waited for", async (t) => {
  const impatient: Clock = {
    now: () => Date.now(),
    sleep: (ms, signal) => systemClock.sleep(ms / 500, signal),
  };
  const { cluster } = await TestCluster.start(t, undefined, impatient);
  const { port } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  const headers = { authorization: `Bearer ${cluster.adminToken}`, "content-length": "100" };
  const request = requestHttps({
    host: "localhost",
    port,
    ca: cluster.caCertificate(),
    path: maps,
    method: "POST",
    headers,
  });
  request.on("error", () => request.destroy());
  request.write("{");
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 408);
  request.destroy();
});

test("without a token nothing but health and version is shown, a wrong one is refused", async (t) => {
  const served = await serve(t);
  const anonymous = await ask(served, { path: maps, headers: {} });
  assert.equal(anonymous.status, 403);
  assert.match(anonymous.text, /configmaps is forbidden: User \\"system:anonymous\\" cannot list resource/);
  assert.equal((await ask(served, { path: "/livez", headers: {} })).status, 200);
  const wrong = await ask(served, { path: maps, headers: { authorization: "Bearer wrong" } });
  assert.equal(wrong.status, 401);
  assert.match(wrong.text, /"reason":"Unauthorized"/);
});

test("a token of a service account is known until the account is gone", async (t) => {
  const served = await serve(t);
  const json = { authorization: served.authorization, "content-type": "application/json" };
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await ask(served, { method: "POST", path: accounts, headers: json, body: '{"metadata":{"name":"robot"}}' });
  const answer = await ask(served, {
    method: "POST",
    path: `${accounts}/robot/token`,
    headers: json,
    body: "{}",
  });
  const token = /"token":"([^"]+)"/.exec(answer.text)?.[1];
  const headers = { authorization: `Bearer ${token}` };
  const known = await ask(served, { path: maps, headers });
  assert.match(known.text, /User \\"system:serviceaccount:default:robot\\" cannot list/);
  await ask(served, { method: "DELETE", path: `${accounts}/robot` });
  assert.equal((await ask(served, { path: maps, headers })).status, 401);
});

test("HTTP/2 carries requests and watches over one connection", async (t) => {
  const { port, ca, authorization, cluster } = await serve(t);
  const session = connectHttp2(`https://localhost:${port}`, { ca });
  t.after(() => session.close());
  const watch = session.request({ ":path": `${maps}?watch=1&labelSelector=test`, authorization });
  watch.end();
  const [head] = await once(watch, "response");
  assert.equal(head[":status"], 200);
  const create = session.request({
    ":method": "POST",
    ":path": maps,
    authorization,
    "content-type": "application/json",
  });
  create.end('{"metadata":{"name":"a","labels":{"test":"yes"}}}');
  const [created] = await once(create, "response");
  assert.equal(created[":status"], 201);
  create.resume();
  const [piece] = await once(watch, "data");
  assert.match(String(piece), /^\{"type":"ADDED","object":\{.*"name":"a"/);
  watch.close();
  await cluster.close();
});

test("a watch over HTTP/1.1 answers before its first event", async (t) => {
  const { port, ca, authorization } = await serve(t);
  const path = `${maps}?watch=1&labelSelector=none`;
  const request = requestHttps({ host: "localhost", port, ca, path, headers: { authorization } });
  request.end();
  const [response] = await once(request, "response");
  assert.equal(response.statusCode, 200);
  request.destroy();
});

test("a body of more than 3 MB is refused, over HTTP/1.1 and HTTP/2", async (t) => {
  const served = await serve(t);
  const { authorization, port, ca } = served;
  const headers = { authorization, "content-type": "application/json" };
  const body = "x".repeat(4_000_000);
  assert.equal((await ask(served, { method: "POST", path: maps, headers, body })).status, 413);
  const session = connectHttp2(`https://localhost:${port}`, { ca });
  t.after(() => session.destroy());
  const stream = session.request({ ":method": "POST", ":path": maps, ...headers });
  stream.end(body);
  const [head] = await once(stream, "response");
  assert.equal(head[":status"], 413);
  assert.equal((await ask(served, { path: "/readyz" })).status, 200);
});

test("large bodies right after large answers on one connection all arrive", async (t) => {
  const { port, ca, authorization } = await serve(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const headers = { authorization, "content-type": "application/json" };
  for (let index = 0; index < 60; index += 1) {
    const request = requestHttps({ host: "localhost", port, ca, agent, headers, path: maps, method: "POST" });
    request.end(JSON.stringify({ metadata: { name: `m${index}` }, data: { text: "x".repeat(100_000) } }));
    const [response] = await once(request, "response");
    assert.equal(response.statusCode, 201);
    response.resume();
    await once(response, "end");
  }
});

test("what is no TLS, or no HTTP, harms nobody else", async (t) => {
  const served = await serve(t);
  const socket = connectTls({ host: "localhost", port: served.port, ca: served.ca });
  await once(socket, "secureConnect");
  socket.resume();
  socket.end("garbage\r\n\r\n");
  await once(socket, "close");
  assert.equal((await ask(served, { path: "/readyz" })).status, 200);
});

test("lists of many megabytes are answered over one HTTP/2 connection", { timeout: 60_000 }, async (t) => {
  const { cluster, port, ca, authorization } = await serve(t);
  const data = { text: "x".repeat(900_000) };
  for (const name of ["a", "b", "c"]) {
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
    const headers = { "content-type": "application/json" };
    await cluster.handle({ method: "POST", url: maps, headers, body, signal: new AbortController().signal });
  }
  const session = connectHttp2(`https://localhost:${port}`, { ca });
  t.after(() => session.destroy());
  const list = async (): Promise<string> => {
    const stream = session.request({ ":path": maps, authorization });
    let size = 0;
    for await (const piece of stream) size += piece.length;
    return size > 2_700_000 ? "whole" : "cut";
  };
  const answers = await Promise.all(Array.from({ length: 60 }, list));
  assert.deepEqual([...new Set(answers)], ["whole"]);
});
