/** Certificates and tokens that are replaced in place while `capstan plugin-server` serves. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { createAuthority } from "@capstan/cluster/certificates";
import { isRecord } from "@capstan/formats";
import { grpcClient } from "@capstan/plugin-kit/grpc";
import { eventually, realClock, startProcess } from "@capstan/testkit";
import { pluginV1 } from "@capstan/wire/plugin-protocols";
import { Client, credentials } from "@grpc/grpc-js";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const now = realClock.now();
const pairOf = (name: string) => createAuthority(name, now);
const plugin =
  'kind: ConfigManagementPlugin\nmetadata: {name: one}\nspec:\n  generate: {command: [echo, "{}"]}\n';

async function startServer() {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-rotation-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const write = (name: string, text: string) => writeFile(join(dir, name), text);
  const pair = pairOf("first");
  const caller = pairOf("caller");
  await mkdir(join(dir, "config"));
  await write("config/plugin.yaml", `${plugin}  listenAddress: 127.0.0.1:0\n`);
  await write("tls.crt", pair.certificate);
  await write("tls.key", pair.key);
  await write("ca.crt", caller.certificate);
  await write("token", "one\n");
  const at = (name: string) => join(dir, name);
  const places = ["--config-dir-path", at("config"), "--socket-dir", at("sockets"), "--work-dir", dir];
  const flags = ["--tls-cert", at("tls.crt"), "--tls-key", at("tls.key"), "--client-ca", at("ca.crt")];
  const args = [launcher, "plugin-server", ...places, ...flags, "--token-file", at("token")];
  const server = opened.use(startProcess(process.execPath, args));
  const untilSaid = (text: string) =>
    eventually(
      () => {
        if (server.ended() !== undefined) throw new Error(server.output());
        return server
          .output()
          .split("\n")
          .find((line) => line.includes(text));
      },
      { signal: AbortSignal.timeout(100_000), describe: () => `"${text}" is not in ${server.output()}` },
    );
  const line: unknown = JSON.parse(await untilSaid("plugin server is serving"));
  const address = isRecord(line) && Array.isArray(line.addresses) ? String(line.addresses[0]) : "";
  const closing = opened.move();
  return { write, untilSaid, address, caller, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** The name in the certificate that new connections see. */
async function nameAt(
  address: string,
  { key, certificate: cert }: ReturnType<typeof pairOf>,
): Promise<string> {
  const port = Number(address.split(":").at(-1));
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({
    port,
    host: "127.0.0.1",
    key,
    cert,
    rejectUnauthorized: false,
    ALPNProtocols: ["h2"],
  });
  socket.once("secureConnect", () => resolve(String(socket.getPeerCertificate().subject.CN)));
  socket.once("error", reject);
  return promise.finally(() => socket.destroy());
}

/** Whether a call with a token and a certificate is answered, on a connection of its own. */
async function namesAt(address: string, token: string, { key, certificate }: ReturnType<typeof pairOf>) {
  const [keyData, chain] = [Buffer.from(key), Buffer.from(certificate)];
  const access = credentials.createSsl(null, keyData, chain, { rejectUnauthorized: false });
  const client = new Client(address, access, {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.ssl_target_name_override": "localhost",
  });
  try {
    const headers = { authorization: `Bearer ${token}` };
    const limits = { signal: AbortSignal.timeout(60_000), headers };
    const { plugins } = await grpcClient(pluginV1.PluginService, client).describe({}, limits);
    return plugins.map(({ name }) => name);
  } finally {
    client.close();
  }
}

test("certificate, authority of callers and token are replaced in place; halves are said and change nothing", async () => {
  await using server = await startServer();
  const { address, caller } = server;
  assert.equal(await nameAt(address, caller), "first");
  assert.deepEqual(await namesAt(address, "one", caller), ["one"]);
  await assert.rejects(namesAt(address, "two", caller), /token/);

  const second = pairOf("second");
  await server.write("tls.crt", second.certificate);
  assert.match(await server.untilSaid("cannot be used; the earlier ones stay"), /is not the key of/);
  assert.equal(await nameAt(address, caller), "first");
  assert.deepEqual(await namesAt(address, "one", caller), ["one"]);

  const another = pairOf("another caller");
  await server.write("tls.key", second.key);
  await server.write("ca.crt", another.certificate);
  await server.untilSaid("files have changed and were read again");
  const limit = { signal: AbortSignal.timeout(60_000), describe: () => "the new files are not in use" };
  await eventually(async () => {
    const names = await namesAt(address, "one", another).catch(() => undefined);
    return names && (await nameAt(address, another)) === "second" ? names : undefined;
  }, limit);
  await assert.rejects(namesAt(address, "one", caller));

  await server.write("token", "two\n");
  await eventually(() => namesAt(address, "two", another).catch(() => undefined), limit);
  await assert.rejects(namesAt(address, "one", another), /token/);
});
