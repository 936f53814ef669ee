import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { createSelfMadeCertificate } from "@capstan/testkit";
import { createLimitedServer, listenOn } from "../limited-server.ts";
import { takeEveryForm } from "./one-port.ts";
import { type KeyPair, type ServerTlsNeeds, serveTls } from "./server-tls.ts";

const pairOf = (commonName: string): KeyPair =>
  createSelfMadeCertificate({ commonName, names: ["localhost"] }, Date.now());

/** More than one write takes. */
const answer = "x".repeat(4_000_000);

/** A listener whose settings may change. */
async function openListener(makeOwn: () => Promise<KeyPair>) {
  const closing = new AbortController();
  const settings: { current: ServerTlsNeeds["settings"]["current"] } = { current: { serverTls: undefined } };
  const server = createLimitedServer((_request, response) => response.end(answer));
  const tls = serveTls({ settings, makeOwn, log: { warn: () => undefined } });
  takeEveryForm(server, { tls, answer: () => undefined, signal: closing.signal, farewells: [] });
  const { port } = await listenOn(server, { host: "127.0.0.1", port: 0 });
  return {
    port,
    server,
    give: (pair: KeyPair) => {
      settings.current = { serverTls: { ...pair, from: "Secret argocd-server-tls" } };
    },
    /** Whose certificate a client sees. */
    async shown(): Promise<string | undefined> {
      const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      return String(CN);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a key that is mended is looked at, though its certificate stays", async () => {
  await using listener = await openListener(async () => pairOf("own"));
  const [given, other] = [pairOf("given"), pairOf("other")];
  listener.give({ certificate: given.certificate, key: other.key });
  assert.equal(await listener.shown(), "own");
  listener.give(given);
  assert.equal(await listener.shown(), "given");
});

test("who breaks off while the certificate is made takes nobody along", async () => {
  const made = Promise.withResolvers<KeyPair>();
  await using listener = await openListener(() => made.promise);
  const connected = once(listener.server, "connection");
  const leaving = connect(listener.port, "127.0.0.1");
  const [taken] = await connected;
  leaving.write(Buffer.from([0x16, 0x03, 0x01]));
  await once(taken, "readable");
  leaving.resetAndDestroy();
  await new Promise((resolve) => taken.once("close", resolve));
  made.resolve(pairOf("own"));
  assert.equal(await listener.shown(), "own");
});

test("who ends the connection after the question gets the whole answer", async () => {
  await using listener = await openListener(async () => pairOf("own"));
  const socket = connect(listener.port, "127.0.0.1");
  socket.end("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  const told = (await socket.setEncoding("utf8").toArray()).join("");
  assert.ok(told.endsWith(`\r\n\r\n${answer}`), `${told.length} characters came`);
});
