import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createSelfMadeCertificate } from "@capstan/testkit";
import { createLimitedServer, listenOn } from "../limited-server.ts";
import { takeEveryForm } from "./one-port.ts";
import { serveTls } from "./server-tls.ts";

const host = "127.0.0.1";

async function openPort() {
  const [leaving, ending, closing] = [
    new AbortController(),
    new AbortController(),
    new AbortController(),
  ] as const;
  const server = createLimitedServer((_request, response) => response.end());
  const makeOwn = async () =>
    createSelfMadeCertificate({ commonName: "own", names: ["localhost"] }, Date.now());
  takeEveryForm(server, {
    tls: serveTls({
      settings: { current: { serverTls: undefined } },
      makeOwn,
      log: { warn: () => undefined },
    }),
    answer: (_request, response) => response.end("answered"),
    signal: closing.signal,
    farewells: [leaving.signal, ending.signal],
  });
  const { port } = await listenOn(server, { host, port: 0 });
  const socket = connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  // The server's own settings: it has a session, which knows of no request yet.
  await once(socket, "readable");
  return {
    leaving,
    ending,
    begin: () => connectHttp2(`https://${host}`, { createConnection: () => socket }),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function ask(session: ClientHttp2Session): Promise<string> {
  const stream = session.request({ ":path": "/" });
  let text = "";
  for await (const piece of stream.setEncoding("utf8")) text += piece;
  return text;
}

test("who came just before a server leaves is answered, and sent elsewhere with what he begins next", {
  timeout: 20_000,
}, async () => {
  await using port = await openPort();
  port.leaving.abort();
  const session = port.begin();
  const sentAway = once(session, "goaway");
  assert.equal(await ask(session), "answered");
  await sentAway;
  await once(session, "close");
});

test("who was answered before is sent elsewhere as soon as a server leaves", {
  timeout: 20_000,
}, async () => {
  await using port = await openPort();
  const session = port.begin();
  assert.equal(await ask(session), "answered");
  port.leaving.abort();
  await once(session, "close");
});

test("who never asks anything is not waited for", { timeout: 20_000 }, async () => {
  await using port = await openPort();
  const session = port.begin();
  port.leaving.abort();
  port.ending.abort();
  await once(session, "close");
});
