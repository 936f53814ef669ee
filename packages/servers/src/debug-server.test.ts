import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { KeyedQueue } from "@capstan/flow";
import { realClock as clock } from "@capstan/testkit";
import { serveDebug } from "./debug-server.ts";

interface Opened extends AsyncDisposable {
  readonly path: string;
  readonly warnings: string[];
  ask(path: string, method?: string): Promise<{ status: number; body: string }>;
}

type Serve = (path: string, warnings: string[]) => Promise<AsyncDisposable>;

function serveHere(path: string, warnings: string[]): Promise<AsyncDisposable> {
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  return serveDebug(path, { clock, log });
}

/** Its heap is small: not what all tests of this process have loaded. */
async function serveInThread(path: string): Promise<AsyncDisposable> {
  const [flow, server] = ["@capstan/flow", "./debug-server.ts"].map((name) => import.meta.resolve(name));
  const code = `(async () => {
    const { systemClock: clock } = await import("${flow}");
    const { serveDebug } = await import("${server}");
    await serveDebug(${JSON.stringify(path)}, { clock, log: console });
    const { parentPort } = require("node:worker_threads");
    // What is heard keeps the thread: the socket does not.
    parentPort.on("message", () => undefined);
    parentPort.postMessage("it is served");
  })()`;
  const thread = new Worker(code, { eval: true });
  await once(thread, "message");
  return { [Symbol.asyncDispose]: async () => void (await thread.terminate()) };
}

async function open(name = "debug.sock", serve: Serve = serveHere): Promise<Opened> {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-debug-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, name);
  // As a kill -9 leaves one.
  await writeFile(join(dir, "debug.sock"), "");
  const warnings: string[] = [];
  opened.use(await serve(path, warnings));
  const closing = opened.move();
  return {
    path,
    warnings,
    async ask(asked, method = "GET") {
      const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
      const sent = request({ socketPath: path, path: asked, method }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
      });
      sent.once("error", reject).end();
      return promise;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

test("queues are shown with what they do, until they end", async () => {
  await using debug = await open();
  const held = Promise.withResolvers<void>();
  const queue = new KeyedQueue({
    name: "a test's",
    atOnce: 1,
    clock,
    work: () => held.promise,
    failed: () => undefined,
  });
  for (const key of ["one", "two"]) queue.add(key);
  queue.addAt("three", clock.now() + 60_000);
  const own = async () => {
    const { body } = await debug.ask("/debug/queues");
    return JSON.parse(body).find(({ name }: { name: string }) => name === "a test's");
  };
  const { running, waiting, dueLater } = await own();
  assert.deepEqual(
    running.map(({ key }: { key: string }) => key),
    ["one"],
  );
  assert.deepEqual(
    waiting.map(({ key }: { key: string }) => key),
    ["two"],
  );
  assert.equal(dueLater, 1);
  held.resolve();
  await queue[Symbol.asyncDispose]();
  assert.equal(await own(), undefined);
});

test("memory, a CPU profile and a heap snapshot are what their tools read", async () => {
  await using debug = await open("debug.sock", serveInThread);
  const memory = JSON.parse((await debug.ask("/debug/memory")).body);
  assert.ok(memory.process.rss > 0 && memory.heap.used_heap_size > 0);
  const profile = JSON.parse((await debug.ask("/debug/cpu?seconds=0.05")).body);
  assert.ok(profile.nodes.length > 0 && profile.endTime > profile.startTime);
  const heap = JSON.parse((await debug.ask("/debug/heap")).body);
  assert.ok(heap.snapshot.node_count > 0);
});

test("the socket is its user's alone, and what cannot be asked is refused", async () => {
  await using debug = await open();
  assert.equal((await stat(debug.path)).mode & 0o777, 0o600);
  assert.equal((await debug.ask("/debug/queues", "POST")).status, 405);
  assert.equal((await debug.ask("/metrics")).status, 404);
  for (const seconds of ["0", "-1", "121", "ten", "1e9"])
    assert.equal((await debug.ask(`/debug/cpu?seconds=${seconds}`)).status, 400, seconds);
  const first = debug.ask("/debug/cpu?seconds=0.5");
  const others = await Promise.all([debug.ask("/debug/cpu?seconds=0.5"), debug.ask("/debug/heap")]);
  assert.deepEqual([(await first).status, ...others.map(({ status }) => status)].toSorted(), [200, 409, 409]);
});

test("where its path is too long for a socket the process works without it, and says so", async () => {
  await using debug = await open(`${"x".repeat(100)}.sock`);
  assert.deepEqual(debug.warnings, [
    "capstan debug will not reach this process: its socket cannot be opened",
  ]);
});
