import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "@capstan/formats";
import { grpcClient } from "@capstan/plugin-kit/grpc";
import { eventually, startProcess } from "@capstan/testkit";
import { cmp, health, pluginV1, reflection, version } from "@capstan/wire/plugin-protocols";
import { Client, credentials } from "@grpc/grpc-js";

const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const signal = () => AbortSignal.timeout(100_000);

const plugin = (name: string, spec = "") =>
  `kind: ConfigManagementPlugin\nmetadata: {name: ${name}}\nspec:\n  generate: {command: [echo, "{}"]}\n${spec}`;

async function startServer(configs: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-plugin-server-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const [config, sockets] = [join(dir, "config"), join(dir, "sockets")];
  await mkdir(config);
  const write = (name: string, text: string) => writeFile(join(config, name), text);
  for (const [name, text] of Object.entries(configs)) await write(name, text);
  const places = ["--config-dir-path", config, "--socket-dir", sockets, "--work-dir", dir];
  const server = opened.use(startProcess(process.execPath, [launcher, "plugin-server", ...places, ...flags]));
  const logged = (message: string, nth = 1): Promise<Record<string, unknown>> =>
    eventually(
      async () => {
        if (server.ended() !== undefined) throw new Error(server.output());
        const lines = server
          .output()
          .split("\n")
          .filter((line) => line.includes(`"msg":"${message}"`));
        const line: unknown = JSON.parse(lines[nth - 1] ?? "null");
        return isRecord(line) ? line : undefined;
      },
      { signal: signal(), describe: () => `"${message}" is not in ${server.output()}` },
    );
  const { addresses, metricsPort } = await logged("plugin server is serving");
  const closing = opened.move();
  return {
    addresses: Array.isArray(addresses) ? addresses.map(String) : [],
    metricsPort,
    logged,
    write,
    socket: (name: string) => join(sockets, `${name}.sock`),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function connect(address: string, secure?: { insecureTls: true }) {
  const trusted = secure ? credentials.createSsl(null, null, null, { rejectUnauthorized: false }) : undefined;
  const client = new Client(address, trusted ?? credentials.createInsecure());
  return {
    own: grpcClient(pluginV1.PluginService, client),
    stock: grpcClient(cmp.ConfigManagementPluginService, client),
    health: grpcClient(health.Health, client),
    version: grpcClient(version.VersionService, client),
    reflection: grpcClient(reflection.ServerReflection, client),
    [Symbol.dispose]: () => client.close(),
  };
}

const namesAt = async (caller: ReturnType<typeof connect>, headers = {}) =>
  (await caller.own.describe({}, { signal: signal(), headers })).plugins.map(({ name }) => name);

test("several plugins have a socket each and a port together, with TLS of its own making and a token", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-token-"));
  try {
    const tokenFile = join(dir, "token");
    await writeFile(tokenFile, "secret\n");
    const configs = { "one.yaml": plugin("one"), "two.yaml": plugin("two", "  version: v2\n") };
    await using server = await startServer(configs, ["--listen", "127.0.0.1:0", "--token-file", tokenFile]);
    const port = server.addresses.find((address) => address.startsWith("127.")) ?? "";
    using one = connect(`unix://${server.socket("one")}`);
    using two = connect(`unix://${server.socket("two-v2")}`);
    // Node refuses an IP address as the name in TLS.
    using both = connect(port.replace("127.0.0.1", "localhost"), { insecureTls: true });
    assert.deepEqual(await namesAt(one), ["one"]);
    assert.deepEqual(await namesAt(two), ["two"]);
    assert.deepEqual(await namesAt(both, { authorization: "Bearer secret" }), ["one", "two"]);
    await assert.rejects(namesAt(both), { code: 16 });
    await assert.rejects(namesAt(both, { authorization: "Bearer other" }), { code: 16 });
    assert.equal((await both.health.check({}, { signal: signal() })).status, 1);
    const headers = { authorization: "Bearer secret" };
    await assert.rejects(both.stock.checkPluginConfiguration({}, { signal: signal(), headers }), /2 plugins/);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("listenAddress turns a plugin into a service, health, reflection, version and metrics included", async () => {
  const spec = "  listenAddress: 127.0.0.1:0\n";
  await using server = await startServer({ "plugin.yaml": plugin("one", spec) }, [
    "--plaintext",
    "--anyone-may-call",
    "--metrics-port",
    "0",
  ]);
  assert.equal(existsSync(server.socket("one")), false);
  using caller = connect(server.addresses[0] ?? "");
  const answer = await caller.stock.checkPluginConfiguration({}, { signal: signal() });
  assert.equal(answer.isDiscoveryConfigured, false);
  assert.match((await caller.version.version({}, { signal: signal() })).Version, /^\d/);
  await assert.rejects(caller.health.check({ service: "nobody" }, { signal: signal() }), { code: 5 });
  const stream = caller.reflection.serverReflectionInfo({ signal: signal() });
  await stream.send({ messageRequest: { case: "listServices", value: "" } });
  await stream.send({
    messageRequest: { case: "fileContainingSymbol", value: "capstan.plugin.v1.PluginService" },
  });
  stream.end();
  const [list, file] = await Array.fromAsync(stream);
  assert.match(JSON.stringify(list?.messageResponse.value), /plugin\.ConfigManagementPluginService/);
  assert.equal(file?.messageResponse.case, "fileDescriptorResponse");
  const metrics = await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`, { signal: signal() });
  const text = await metrics.text();
  const labels =
    'grpc_type="unary",grpc_service="plugin.ConfigManagementPluginService",grpc_method="CheckPluginConfiguration"';
  for (const line of [
    `grpc_server_started_total{${labels}} 1`,
    `grpc_server_handled_total{${labels},grpc_code="OK"} 1`,
    'grpc_server_handled_total{grpc_type="unary",grpc_service="grpc.health.v1.Health",grpc_method="Check",grpc_code="NotFound"} 1',
    `grpc_server_handling_seconds_count{${labels}} 1`,
  ])
    assert.ok(text.split("\n").includes(line), `${line} is not in ${text}`);
});

test("the configuration is read again without a restart; a wrong one is said and the earlier stays", async () => {
  await using server = await startServer({ "plugin.yaml": plugin("one") });
  using caller = connect(`unix://${server.socket("one")}`);
  const digest = async () => (await caller.own.describe({}, { signal: signal() })).plugins[0]?.digest;
  const first = await digest();
  await server.write("plugin.yaml", "kind: ConfigManagementPlugin\nmetadata: {}\n");
  const { error } = await server.logged("plugin configuration is wrong; the earlier one stays");
  assert.match(String(error), /plugin\.yaml.*metadata\.name/);
  assert.equal(await digest(), first);
  await server.write("plugin.yaml", plugin("one", "  sensitive: true\n"));
  await server.logged("plugin configuration was read again");
  assert.notEqual(await digest(), first);
  await server.write("other.yaml", plugin("more"));
  await server.logged("plugin configuration was read again", 2);
  using more = connect(`unix://${server.socket("more")}`);
  assert.deepEqual(await namesAt(more), ["more"]);
});

test("a server that cannot listen ends, also where it follows a file", { timeout: 100_000 }, async () => {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-plugin-token-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "token"), "for-callers\n");
  await using taken = await startServer({ "plugin.yaml": plugin("one", "  listenAddress: 127.0.0.1:0\n") }, [
    "--anyone-may-call",
  ]);
  const address = taken.addresses.find((one) => one.startsWith("127.0.0.1:")) ?? assert.fail();
  await assert.rejects(
    startServer({ "plugin.yaml": plugin("two", `  listenAddress: ${address}\n`) }, [
      "--token-file",
      join(dir, "token"),
    ]),
    /cannot listen on 127\.0\.0\.1/,
  );
});
