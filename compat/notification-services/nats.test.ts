import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAuthority, createServerCertificate } from "@capstan/cluster/certificates";
import { stringifyJson } from "@capstan/formats";
import { createService } from "@capstan/notification-services";
import { eventually, lacking, realClock, realProgramPath } from "@capstan/testkit";
import { RealPeer } from "../real-peer.ts";

const skip = lacking("nats-server", "notifications");
const clock = realClock;
const { signal } = new AbortController();

/** Until something is so. */
async function until<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  return eventually(probe, {
    signal: AbortSignal.timeout(20_000),
    describe: () => `it never came that ${what}`,
  });
}

/** Of NATS' documentation. */
const seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const publicKey = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

async function startNats(t: TestContext, config: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-nats-"));
  await writeFile(join(folder, "nats.conf"), config);
  const flags = ["-c", join(folder, "nats.conf"), "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder];
  const server: ChildProcess = spawn(realProgramPath("nats-server"), flags, { stdio: "ignore" });
  t.after(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, "exit");
    await rm(folder, { recursive: true });
  });
  return until("the server says its port", async () => {
    const name = (await readdir(folder)).find((one) => one.endsWith(".ports"));
    if (name === undefined) return undefined;
    const { nats, tls } = JSON.parse(await readFile(join(folder, name), "utf8"));
    return new URL((nats ?? tls)[0]).host;
  });
}

/** What comes to any subject, frame by frame. */
async function listen(t: TestContext, host: string, login: object = {}): Promise<() => string> {
  const [name = "", port] = host.split(":");
  const socket = connect(Number(port), name);
  t.after(() => socket.destroy());
  let got = "";
  socket.on("data", (chunk: Buffer) => {
    got += chunk.toString();
    if (chunk.includes("PING\r\n")) socket.write("PONG\r\n");
  });
  const hello = { verbose: false, headers: true, no_responders: true, ...login };
  socket.write(`CONNECT ${JSON.stringify(hello)}\r\nSUB > 1\r\nPING\r\n`);
  await until("the server answers", () => got.includes("PONG\r\n") || undefined);
  got = "";
  // The server asks now and then whether anybody is there.
  return () => got.replaceAll("PING\r\n", "");
}

const open = (config: unknown, authority?: string) =>
  createService({ type: "nats", config, clock, authoritiesOf: () => authority });

test("a real NATS has the message, with its headers, as from Argo CD", { skip }, async (t) => {
  const host = await startNats(t, "");
  const got = await listen(t, host);
  const config = { url: `nats://${host}`, headers: { "X-Kind": "deploy" } };
  await open(config).send({ message: "hello ü" }, "a.b", { signal });
  await open({ url: config.url }).send({ message: "bare" }, "a.c", { signal });
  await until("it comes", () => got().includes("bare\r\n") || undefined);
  const ours = got();
  const real = new RealPeer<object, { error: string }>("notifications");
  t.after(() => real.end());
  const asked = { type: "nats", service: "nats", name: "t", vars: {} };
  const said = [
    await real.ask({
      ...asked,
      config: JSON.stringify(config),
      template: "message: hello ü",
      recipient: "a.b",
    }),
    await real.ask({ ...asked, config: `url: nats://${host}`, template: "message: bare", recipient: "a.c" }),
  ];
  assert.deepEqual(said, [{ error: "" }, { error: "" }]);
  await until("theirs come", () => got().length >= 2 * ours.length || undefined);
  assert.equal(got(), ours + ours);
});

test("a password and an NKey let in, others are told why not", { skip }, async (t) => {
  const users = [{ user: "me", password: "secret-word" }, { nkey: publicKey }];
  const host = await startNats(t, `authorization: { users: ${stringifyJson(users)} }`);
  const login = { user: "me", pass: "secret-word" };
  const got = await listen(t, host, login);
  const url = `nats://${host}`;
  await open({ url, username: "me", password: "secret-word" }).send({ message: "one" }, "s", { signal });
  await open({ url: `nats://me:secret-word@${host}` }).send({ message: "two" }, "s", { signal });
  await open({ url, nkey: seed }).send({ message: "three" }, "s", { signal });
  await until("all come", () => got().includes("three\r\n") || undefined);
  assert.deepEqual(got().match(/one|two|three/g), ["one", "two", "three"]);
  const refused = open({ url, username: "me", password: "wrong-word" }).send({}, "s", { signal });
  await assert.rejects(refused, /^SendError: nats to s: NATS answers 'Authorization Violation'$/);
});

test("a NATS that wants TLS gets it, and its certificate is looked at", { skip }, async (t) => {
  const authority = createAuthority("nats", Date.now());
  const subject = { commonName: "nats", names: ["127.0.0.1"] };
  const { certificate, key } = createServerCertificate(authority, subject, Date.now());
  const folder = await mkdtemp(join(tmpdir(), "capstan-nats-keys-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "cert.pem"), certificate);
  await writeFile(join(folder, "key.pem"), key);
  const files = { cert_file: join(folder, "cert.pem"), key_file: join(folder, "key.pem") };
  const host = await startNats(t, `tls: ${stringifyJson(files)}`);
  await open({ url: `nats://${host}` }, authority.certificate).send({ message: "one" }, "s", { signal });
  await assert.rejects(open({ url: `tls://${host}` }).send({}, "s", { signal }), /certificate/);
});

test("what would end a line of the protocol is no subject, header or key", async () => {
  const url = "nats://127.0.0.1:9";
  for (const subject of ["", "a b", "a\r\nPUB b 1", "a.*", ">"])
    await assert.rejects(open({ url }).send({}, subject, { signal }), /is no subject of NATS/);
  for (const config of [
    { url: "http://h" },
    { url, headers: { "a b": "c" } },
    { url, headers: { a: "b\r\nc" } },
    { url, nkey: `${seed.slice(0, -1)}A` },
  ])
    assert.throws(() => open(config), /^EntryError: service\.nats: /);
});

test("a tenant's NATS is not on this machine", async () => {
  const service = createService({
    type: "nats",
    config: { url: "nats://localhost:9" },
    clock,
    guarded: true,
  });
  await assert.rejects(service.send({}, "s", { signal }), /is not followed/);
});
