import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect as connectTcp, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { createSelfMadeCertificate } from "@capstan/testkit";
import type { RepoServer } from "@capstan/wire";
import { dialRepo, type RepoIdentity } from "./dial-repo.ts";
import { RepoPool } from "./repo-pool.ts";
import { listenForRepoCalls, type RepoPortOptions } from "./repo-port.ts";

const never = new AbortController().signal;
const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal: AbortSignal) => void (await sleep(ms, undefined, { signal })),
};
const log = { info: () => undefined, warn: () => undefined };
const unchanging = <Value>(value: Value) => ({ current: () => value, onChange: () => () => undefined });
const certificateOf = (name: string) =>
  createSelfMadeCertificate({ commonName: name, names: ["localhost"] }, Date.now());
const own = certificateOf("localhost");
const tls = unchanging({ certificate: own.certificate, key: own.key });
const local = { host: "127.0.0.1", port: 0 };

interface Asked {
  readonly repo: RepoServer;
  readonly revisions: string[];
  readonly forgotten: string[];
  /** Calls wait for it. */
  gate: Promise<void>;
}

function askedRepo(name: string): Asked {
  const asked: Asked = { repo: undefined as never, revisions: [], forgotten: [], gate: Promise.resolve() };
  const repo: Partial<RepoServer> = {
    async resolveRevision({ repository }) {
      asked.revisions.push(repository.url);
      await asked.gate;
      return { revision: name, ambiguous: name };
    },
    forgetRevisions: (url) => void asked.forgotten.push(url),
  };
  return Object.assign(asked, { repo });
}

const listen = (repo: RepoServer, more: Partial<RepoPortOptions>) =>
  listenForRepoCalls({ repo, tls, clock, log, ...more }, local);

/** Three repo servers, and one that asks them. */
async function openWorld({ serverToken = "secret", callerToken = "secret" } = {}) {
  await using opened = new AsyncDisposableStack();
  const asked = ["a", "b", "c"].map(askedRepo);
  const ports = await Promise.all(
    asked.map(async ({ repo }) => opened.use(await listen(repo, { token: unchanging(serverToken) }))),
  );
  const identity = unchanging<RepoIdentity>({ token: callerToken });
  const endpoints = new Map(
    ports.map(({ port }) => [`127.0.0.1:${port}`, { host: "localhost", address: "127.0.0.1", port }]),
  );
  const dial = (endpoint: { host: string; address: string; port: number }, signal: AbortSignal) =>
    dialRepo(endpoint, identity, signal);
  const pool = opened.use(new RepoPool({ endpoints: async () => endpoints, dial, clock, log }));
  const resolve = (url: string, signal: AbortSignal = never) =>
    pool.resolveRevision({ repository: { url }, source: { repoURL: url } }, signal);
  const closing = opened.move();
  return { asked, ports, endpoints, pool, resolve, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

const urls = Array.from({ length: 60 }, (_, index) => `https://git.example/repo-${index}.git`);

test("a repository is asked of one repo server, which each has some of, and all forget what one is told", async () => {
  await using world = await openWorld();
  const first = await Promise.all(urls.map((url) => world.resolve(url)));
  const again = await Promise.all(urls.map((url) => world.resolve(url.replace(/\.git$/, "/"))));
  assert.deepEqual(first, again);
  for (const { revisions } of world.asked) assert.ok(revisions.length > 10, String(revisions.length));
  world.pool.forgetRevisions("https://git.example/x");
  while (world.asked.some(({ forgotten }) => forgotten.length === 0)) await sleep(10);
});

test("a repo server that leaves answers what it was asked; the next call is another's", async () => {
  await using world = await openWorld();
  const gate = Promise.withResolvers<void>();
  for (const one of world.asked) one.gate = gate.promise;
  const url = urls[0] ?? "";
  const waiting = world.resolve(url);
  const leaves = await new Promise<number>((resolve) => {
    const look = setInterval(() => {
      const index = world.asked.findIndex(({ revisions }) => revisions.length > 0);
      if (index < 0) return;
      clearInterval(look);
      resolve(index);
    }, 10);
  });
  const ended = world.ports[leaves]?.[Symbol.asyncDispose]();
  await sleep(50);
  const next = world.resolve(url);
  gate.resolve();
  assert.equal((await waiting).revision, "abc"[leaves]);
  assert.notEqual((await next).revision, "abc"[leaves]);
  await ended;
});

test("a call whose connection breaks is made again at the next one", async () => {
  await using world = await openWorld();
  const url = urls[1] ?? "";
  const { revision } = await world.resolve(url);
  const broken = world.asked["abc".indexOf(revision)];
  const port = world.ports["abc".indexOf(revision)]?.port;
  assert.ok(broken && port);
  // A way in between that can be cut.
  const sockets: { destroy(): void }[] = [];
  const between = createServer((socket) => {
    const to = connectTcp(port, "127.0.0.1");
    for (const one of [socket, to]) one.on("error", () => undefined);
    socket.pipe(to).pipe(socket);
    sockets.push(socket, to);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => between.once("listening", resolve));
  const address = between.address();
  assert.ok(typeof address === "object" && address);
  const name = `127.0.0.1:${port}`;
  const over = { host: "localhost", address: "127.0.0.1", port: address.port };
  const other = [...world.endpoints].find(([one]) => one !== name);
  assert.ok(other);
  const endpoints = new Map([[name, over], other]);
  await using pool = new RepoPool({
    endpoints: async () => endpoints,
    dial: (endpoint, signal) => dialRepo(endpoint, unchanging({ token: "secret" }), signal),
    clock,
    log,
  });
  broken.gate = new Promise(() => undefined);
  const mine = urls.filter((one) => one !== url);
  const asking = mine.map((one) =>
    pool.resolveRevision({ repository: { url: one }, source: { repoURL: one } }, never),
  );
  while (broken.revisions.length < 3) await sleep(10);
  await sleep(50);
  for (const socket of sockets) socket.destroy();
  between.close();
  const revisions = new Set((await Promise.all(asking)).map((one) => one.revision));
  assert.deepEqual([...revisions].length, 1);
  broken.gate = Promise.resolve();
});

test("who does not know the token is sent away, and so is a server that does not know it", async () => {
  const limit = () => AbortSignal.timeout(1_500);
  await using wrong = await openWorld({ callerToken: "guessed" });
  await assert.rejects(wrong.resolve(urls[0] ?? "", limit()));
  assert.deepEqual(
    wrong.asked.flatMap(({ revisions }) => revisions),
    [],
  );
  const { repo } = askedRepo("a");
  await using port = await listen(repo, { token: unchanging("another") });
  const endpoint = { host: "localhost", address: "127.0.0.1", port: port.port };
  await assert.rejects(dialRepo(endpoint, unchanging({ token: "secret" }), never), /refuses this caller/);
});

test("a token that was shown to whoever stands between opens nothing: it holds for one TLS connection", async () => {
  const { repo, revisions } = askedRepo("a");
  await using port = await listen(repo, { token: unchanging("secret") });
  // The other's server: what a caller shows to it is passed on.
  const false_ = certificateOf("localhost");
  const shown = Promise.withResolvers<Buffer>();
  const { createServer: createTls } = await import("node:tls");
  const thief = createTls(
    { cert: false_.certificate, key: false_.key, ALPNProtocols: ["capstan-repo.v1"], minVersion: "TLSv1.3" },
    (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (bytes: Buffer) => {
        shown.resolve(bytes);
        socket.write(Buffer.alloc(32));
      });
    },
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => thief.once("listening", resolve));
  const address = thief.address();
  assert.ok(typeof address === "object" && address);
  const endpoint = { host: "localhost", address: "127.0.0.1", port: address.port };
  await assert.rejects(dialRepo(endpoint, unchanging({ token: "secret" }), never), /does not know the token/);
  const socket = connect({
    port: port.port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ALPNProtocols: ["capstan-repo.v1"],
  });
  socket.on("error", () => undefined);
  socket.write(await shown.promise);
  const answered: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => answered.push(bytes));
  await new Promise((resolve) => socket.once("close", resolve));
  assert.equal(Buffer.concat(answered).length, 0);
  assert.deepEqual(revisions, []);
  thief.close();
});

/** Signed by itself: its own authority. */
async function clientCertificate(): Promise<{ certificate: string; key: string }> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-caller-"));
  try {
    const [certificate, key] = [join(dir, "crt"), join(dir, "key")];
    const kind = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-subj",
      "/CN=controller",
    ];
    const use = ["-addext", "extendedKeyUsage=clientAuth"];
    await promisify(execFile)("openssl", [
      "req",
      "-x509",
      ...kind,
      ...use,
      "-keyout",
      key,
      "-out",
      certificate,
    ]);
    return { certificate: await readFile(certificate, "utf8"), key: await readFile(key, "utf8") };
  } finally {
    await rm(dir, { recursive: true });
  }
}

test("a certificate of the authority does in the token's place; another one is refused", async () => {
  const callers = await clientCertificate();
  const { repo } = askedRepo("a");
  const asking = unchanging({ ...tls.current(), clientAuthority: callers.certificate });
  await using port = await listen(repo, { tls: asking });
  const endpoint = { host: "localhost", address: "127.0.0.1", port: port.port };
  const trusted: RepoIdentity = { authority: own.authority, certificate: callers };
  (await dialRepo(endpoint, unchanging(trusted), never)).destroy();
  const stranger = { ...trusted, certificate: await clientCertificate() };
  await assert.rejects(dialRepo(endpoint, unchanging(stranger), never));
  await assert.rejects(dialRepo(endpoint, unchanging({ authority: own.authority }), never));
  const other = { ...trusted, authority: certificateOf("localhost").authority };
  await assert.rejects(dialRepo(endpoint, unchanging(other), never), /certificate/);
});

test("a port that asks for nothing is not opened", async () => {
  await assert.rejects(listen(askedRepo("a").repo, {}), /--token-file FILE/);
});
