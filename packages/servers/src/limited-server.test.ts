import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createSelfMadeCertificate } from "@capstan/testkit";
import { createLimitedServer, listenOn } from "./limited-server.ts";
import { takeEveryForm } from "./transport/one-port.ts";
import { serveTls } from "./transport/server-tls.ts";

const host = "127.0.0.1";
const request = `GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
/** More than a connection takes by itself. */
const long = Buffer.alloc(30_000_000);

type Answer = (response: Pick<ServerResponse, "end" | "once">) => void;

async function open(answer: Answer, limits: { unreadAnswerMs?: number; maxFromOneAddress?: number }) {
  const closing = new AbortController();
  const server = createLimitedServer((_request, response) => answer(response), { limits });
  const makeOwn = async () =>
    createSelfMadeCertificate({ commonName: "own", names: ["localhost"] }, Date.now());
  const settings = { current: { serverTls: undefined } };
  takeEveryForm(server, {
    tls: serveTls({ settings, makeOwn, log: { warn: () => undefined } }),
    answer: (_request, response) => answer(response as unknown as ServerResponse),
    signal: closing.signal,
    farewells: [],
  });
  const { port } = await listenOn(server, { host, port: 0 });
  return {
    port,
    server,
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const secured = { host, rejectUnauthorized: false };
const forms: Record<string, (port: number) => Socket> = {
  "HTTP/1": (port) => connect(port, host),
  "HTTP/1 over TLS": (port) => connectTls({ ...secured, port }),
};

for (const [form, begin] of Object.entries(forms))
  test(`an answer that nobody takes is ended: ${form}`, { timeout: 20_000 }, async () => {
    const ended = Promise.withResolvers<void>();
    const answer: Answer = (response) => void response.once("close", () => ended.resolve()).end(long);
    await using listener = await open(answer, { unreadAnswerMs: 300 });
    const socket = begin(listener.port).on("error", () => undefined);
    socket.pause().write(request);
    await ended.promise;
    socket.destroy();
  });

async function openHttp2(port: number): Promise<ClientHttp2Session> {
  const session = connectHttp2(`http://${host}:${port}`).on("error", () => undefined);
  await once(session, "connect");
  return session;
}

test("an answer that nobody takes is ended: HTTP/2", { timeout: 20_000 }, async () => {
  const ended = Promise.withResolvers<void>();
  const answer: Answer = (response) => void response.once("close", () => ended.resolve()).end(long);
  await using listener = await open(answer, { unreadAnswerMs: 300 });
  const session = await openHttp2(listener.port);
  session
    .request({ ":path": "/" })
    .on("error", () => undefined)
    .pause();
  await ended.promise;
  session.destroy();
});

test("an answer that is only slow to begin is waited for", async () => {
  const answer: Answer = (response) => void setTimeout(() => response.end("late"), 300);
  await using listener = await open(answer, { unreadAnswerMs: 50 });
  const session = await openHttp2(listener.port);
  const stream = session.request({ ":path": "/" }).setEncoding("utf8");
  assert.equal((await stream.toArray()).join(""), "late");
  session.destroy();
});

test("a caller's idle connections make room for its next, and none with a request under way", async () => {
  const asked = Promise.withResolvers<Parameters<Answer>[0]>();
  await using listener = await open((response) => asked.resolve(response), { maxFromOneAddress: 2 });
  const session = await openHttp2(listener.port);
  const stream = session.request({ ":path": "/" }).setEncoding("utf8");
  const response = await asked.promise;
  const idle = connect(listener.port, host).on("error", () => undefined);
  await once(listener.server, "connection");
  const next = connect(listener.port, host);
  await once(idle.resume(), "close");
  response.end("still here");
  assert.equal((await stream.toArray()).join(""), "still here");
  next.destroy();
  session.destroy();
});
