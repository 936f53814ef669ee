import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { CapstanError } from "@capstan/model";
import { cmp, pluginV1 } from "@capstan/wire/plugin-protocols";
import { Client, credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { grpcClient } from "./grpc-client.ts";
import { grpcService } from "./grpc-service.ts";
import { RpcError } from "./rpc-error.ts";
import type { Handlers } from "./service-types.ts";

const limit = () => AbortSignal.timeout(100_000);

type Stock = Handlers<typeof cmp.ConfigManagementPluginService>;
type Own = Handlers<typeof pluginV1.PluginService>;

const refuses = () => Promise.reject(new CapstanError({ code: "PLUGIN_MISSING", plugin: "x" }));
const stock: Stock = {
  checkPluginConfiguration: async () => ({ isDiscoveryConfigured: true }),
  async generateManifest(requests, call) {
    let bytes = 0;
    for await (const { request } of requests)
      if (request.case === "file") bytes += request.value.chunk.length;
    return { manifests: [String(bytes), call.header("x-who") ?? ""] };
  },
  matchRepository: refuses,
  /** Answers in the middle of the upload. */
  async getParametersAnnouncement(requests) {
    for await (const _first of requests) break;
    throw new RpcError(9, "enough");
  },
};
const own: Own = {
  describe: async () => ({ plugins: [{ name: "one" }] }),
  async run(stream) {
    for await (const { message } of stream) {
      if (message.case === "inputEnd") break;
      if (message.case !== "start") continue;
      await stream.send({ message: { case: "want", value: { ids: [message.value.plugin] } } });
    }
    await stream.send({ message: { case: "done", value: { matched: true } } });
  },
};

async function startWorld(more: Partial<Own> = {}) {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-grpc-"));
  opened.defer(() => rm(dir, { recursive: true }));
  const server = new Server();
  for (const { definition, implementation } of [
    grpcService(cmp.ConfigManagementPluginService, stock),
    grpcService(pluginV1.PluginService, { ...own, ...more }),
  ])
    server.addService(definition, implementation);
  const address = `unix://${join(dir, "s.sock")}`;
  await promisify(server.bindAsync.bind(server))(address, ServerCredentials.createInsecure());
  opened.defer(() => server.forceShutdown());
  const client = new Client(address, credentials.createInsecure());
  opened.defer(() => client.close());
  const closing = opened.move();
  return {
    stock: grpcClient(cmp.ConfigManagementPluginService, client),
    own: grpcClient(pluginV1.PluginService, client),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function* pieces(count: number, bytes = 1024) {
  for (let sent = 0; sent < count; sent++)
    yield { request: { case: "file", value: { chunk: new Uint8Array(bytes) } } } as const;
}

test("a call answers, with headers", async () => {
  await using world = await startWorld();
  const answer = await world.stock.checkPluginConfiguration({}, { signal: limit() });
  assert.equal(answer.isDiscoveryConfigured, true);
  const options = { signal: limit(), headers: { "x-who": "me" } };
  assert.deepEqual((await world.stock.generateManifest(pieces(5_000), options)).manifests, ["5120000", "me"]);
});

test("a failure keeps its code and text", async () => {
  await using world = await startWorld();
  await assert.rejects(world.stock.matchRepository(pieces(1), { signal: limit() }), (error) => {
    assert.ok(error instanceof RpcError);
    assert.equal(error.code, 9);
    assert.match(error.message, /x/);
    return true;
  });
});

test("an answer in the middle of an upload ends it", async () => {
  await using world = await startWorld();
  await assert.rejects(world.stock.getParametersAnnouncement(pieces(100_000), { signal: limit() }), {
    code: 9,
    message: "enough",
  });
});

test("a source that fails while it is sent fails the call with its own error", async () => {
  await using world = await startWorld();
  async function* broken() {
    yield* pieces(3);
    throw new Error("disk on fire");
  }
  await assert.rejects(world.stock.generateManifest(broken(), { signal: limit() }), /disk on fire/);
});

test("both sides of a stream talk in turn", async () => {
  await using world = await startWorld();
  const stream = world.own.run({ signal: limit() });
  await stream.send({ message: { case: "start", value: { plugin: "p" } } });
  const heard: unknown[] = [];
  for await (const { message } of stream) {
    heard.push(message.case);
    if (message.case !== "want") continue;
    await stream.send({ message: { case: "inputEnd", value: {} } });
    stream.end();
  }
  assert.deepEqual(heard, ["want", "done"]);
});

test("the server hears that the caller left", async () => {
  const left = Promise.withResolvers<void>();
  await using world = await startWorld({
    run: async (stream, { signal }) => {
      signal.addEventListener("abort", () => left.resolve(), { once: true });
      await stream.send({ message: { case: "log", value: { text: "here" } } });
      await left.promise;
    },
  });
  const leaving = new AbortController();
  await assert.rejects(async () => {
    for await (const _line of world.own.run({ signal: leaving.signal })) leaving.abort(new Error("bored"));
  }, /bored/);
  await left.promise;
});

test("a deadline reaches the handler and ends the call", async () => {
  await using world = await startWorld({
    describe: async (_request, { deadline }) => ({ plugins: [{ name: String(deadline) }] }),
  });
  const deadline = Date.now() + 15_000;
  const { plugins } = await world.own.describe({}, { signal: limit(), deadline });
  assert.ok(Math.abs(Number(plugins[0]?.name) - deadline) < 5_000);
});
