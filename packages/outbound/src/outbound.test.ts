import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { type OutboundRequest, outbound } from "./outbound.ts";

const limits = { clock: realClock, timeoutMs: 20_000, maxBytes: 1000 };

function requestWith(t: TestContext, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { ...limits, signal: t.signal, ...more };
}

async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
}

test("what an address answers is given with any status", async (t) => {
  let asked: IncomingMessage | undefined;
  let body = "";
  const at = await listen(t, async (request, response) => {
    asked = request;
    for await (const chunk of request) body += String(chunk);
    response.writeHead(418, { "x-is": "pot" }).end("tea");
  });
  const headers = { authorization: "Bearer t", "content-type": "text/plain" };
  const answer = await outbound(`${at}/a?b=c`, requestWith(t, { method: "PUT", headers, body: "é" }));
  assert.deepEqual([answer.status, answer.headers["x-is"], answer.body.toString()], [418, "pot", "tea"]);
  assert.deepEqual([asked?.method, asked?.url, body], ["PUT", "/a?b=c", "é"]);
  const { authorization, "content-length": length, "user-agent": agent } = asked?.headers ?? {};
  assert.deepEqual([authorization, length, agent], ["Bearer t", "2", "capstan"]);
});

test("a redirect is the answer, or followed at home, or anywhere without the headers", async (t) => {
  const told: (string | undefined)[] = [];
  const away = await listen(t, (request, response) => {
    told.push(request.headers.authorization);
    response.end("away");
  });
  const at = await listen(t, ({ url, headers }, response) => {
    told.push(headers.authorization);
    if (url === "/home") response.writeHead(302, { location: "/end" }).end();
    else if (url === "/away") response.writeHead(307, { location: `${away}/` }).end();
    else if (url === "/file") response.writeHead(302, { location: "file:///etc/hostname" }).end();
    else if (url === "/round") response.writeHead(302, { location: "/round" }).end();
    else response.end("home");
  });
  const headers = { authorization: "Bearer t" };
  const ask = async (path: string, more: Partial<OutboundRequest>) => {
    told.length = 0;
    const { status, body } = await outbound(at + path, requestWith(t, { headers, ...more }));
    return [status, body.toString(), ...told];
  };
  assert.deepEqual(await ask("/home", {}), [302, "", "Bearer t"]);
  assert.deepEqual(await ask("/home", { redirects: "home" }), [200, "home", "Bearer t", "Bearer t"]);
  assert.deepEqual(await ask("/away", { redirects: "anywhere" }), [200, "away", "Bearer t", undefined]);
  assert.deepEqual(await ask("/away", { redirects: "anywhere", method: "POST" }), [307, "", "Bearer t"]);
  await assert.rejects(ask("/away", { redirects: "home" }), /another host, and is not followed/);
  assert.deepEqual(told, ["Bearer t"]);
  await assert.rejects(ask("/file", { redirects: "anywhere" }), /an address of file: and is not followed/);
  await assert.rejects(ask("/round", { redirects: "home" }), /more than 5 redirects/);
});

test("a redirect takes the body along only where it asks for the same request again", async (t) => {
  const told: string[] = [];
  const at = await listen(t, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    told.push(`${request.url} ${body}`);
    const status = Number(request.url?.slice(1));
    response.writeHead(status || 200, { location: "/end" }).end();
  });
  for (const status of [302, 307])
    await outbound(`${at}/${status}`, requestWith(t, { body: "b", redirects: "home" }));
  assert.deepEqual(told, ["/302 b", "/end ", "/307 b", "/end b"]);
});

test("a stranger's address does not lead to this machine, by name neither", async (t) => {
  let asked = 0;
  const at = await listen(t, (_, response) => {
    asked += 1;
    response.end();
  });
  const { port } = new URL(at);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433", "169.254.169.254"])
    await assert.rejects(
      outbound(`http://${host}:${port}/`, requestWith(t, { guarded: true })),
      /is not followed/,
    );
  assert.equal(asked, 0);
});

test("an answer that is too large or late, and a server that is none, are errors without the address", async (t) => {
  const at = await listen(t, ({ url }, response) => {
    response.write("x".repeat(999));
    if (url !== "/late/secret") response.end("yyy");
  });
  const { host } = new URL(at);
  const refusal = async (address: string, more: Partial<OutboundRequest> = {}) => {
    const error: unknown = await outbound(address, requestWith(t, more)).catch((cause: unknown) => cause);
    assert.ok(error instanceof Error);
    assert.doesNotMatch(error.message, /secret/);
    return error.message;
  };
  assert.equal(
    await refusal(`${at}/secret`),
    `${host} cannot be reached: the answer is larger than 1000 bytes`,
  );
  assert.equal(await refusal(`${at}/late/secret`, { timeoutMs: 20 }), `${host} gave no answer within 0.02 s`);
  assert.match(await refusal("http://127.0.0.1:9/secret"), /^127.0.0.1:9 cannot be reached: .*ECONNREFUSED/);
  assert.equal(await refusal("ftp://u:secret@h/secret"), "ftp://h is no address of HTTP");
  assert.equal(await refusal("secret"), "the address is no URL");
});

test("who waits no longer is not kept waiting", async (t) => {
  const at = await listen(t, () => undefined);
  const abort = new AbortController();
  const asked = outbound(at, requestWith(t, { signal: abort.signal }));
  abort.abort(new Error("enough"));
  await assert.rejects(asked, /^Error: enough$/);
});
