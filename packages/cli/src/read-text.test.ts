import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import { realClock } from "@capstan/testkit";
import { readText } from "./read-text.ts";

async function serving(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/app.yaml`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ioWith = (clock: Clock) => ({
  clock,
  signal: AbortSignal.timeout(60_000),
  readInput: async () => "",
});

test("an address is read", async () => {
  await using server = await serving((_, answer) => void answer.end("kind: Application\n"));
  assert.equal(await readText(server.url, ioWith(realClock)), "kind: Application\n");
});

test("of an address that never ends no more is read than its size may be", async () => {
  await using server = await serving((_, answer) => {
    const piece = Buffer.alloc(2 ** 20);
    const go = () => {
      while (answer.write(piece));
    };
    answer.on("drain", go);
    go();
  });
  await assert.rejects(readText(server.url, ioWith(realClock)), /app\.yaml is too long/);
});

test("an address that says nothing is left after a minute", async () => {
  await using server = await serving(() => undefined);
  const slept: number[] = [];
  const clock: Clock = { now: () => 0, sleep: async (ms) => void slept.push(ms) };
  await assert.rejects(readText(server.url, ioWith(clock)), /timed out \(60s\): http.*app\.yaml/);
  assert.deepEqual(slept, [60_000]);
});
