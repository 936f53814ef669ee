import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { writeStream } from "./write-stream.ts";

/** Never beats by itself. */
const stillClock: Clock = { now: () => 0, sleep: (_ms, signal) => sleep(3_600_000, undefined, { signal }) };

async function served(write: (response: ServerResponse, signal: AbortSignal) => Promise<void>) {
  const stop = new AbortController();
  const server = createServer((_request, response) => void write(response, stop.signal));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function* messages(...values: object[]): AsyncIterable<object> {
  yield* values;
}

const options = { clock: stillClock, onError: () => undefined };

test("messages are lines of JSON, each below result", async () => {
  await using server = await served((response, signal) =>
    writeStream(response, messages({ a: 1 }, { a: 2n }), { ...options, framing: "lines", signal }),
  );
  assert.equal(await (await fetch(server.url)).text(), '{"result":{"a":1}}\n{"result":{"a":2}}\n');
});

test("a message is serialised once for who asks alike, and kept in no more forms than a few", async () => {
  let looks = 0;
  const shared = {
    get a() {
      looks += 1;
      return 1;
    },
  };
  const asked = async (fields: string): Promise<number> => {
    const before = looks;
    await using server = await served((response, signal) =>
      writeStream(response, messages(shared), { ...options, framing: "lines", fields, signal }),
    );
    assert.equal(await (await fetch(server.url)).text(), '{"result":{"a":1}}\n');
    return looks - before;
  };
  for (let form = 0; form < 20; form += 1) assert.notEqual(await asked(`result.a,other-${form}`), 0);
  assert.equal(await asked("result.a,other-0"), 0);
  assert.notEqual(await asked("result.a,other-19"), 0);
});

test("a browser gets them as events", async () => {
  await using server = await served((response, signal) =>
    writeStream(response, messages({ a: 1 }), { ...options, framing: "events", signal }),
  );
  const answer = await fetch(server.url);
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  assert.equal(await answer.text(), 'data: {"result":{"a":1}}\n\n');
});

test("a failure on the way is the last message", async () => {
  async function* failing(): AsyncIterable<object> {
    yield { a: 1 };
    throw new CapstanError({ code: "UNAVAILABLE", what: "the cluster", problem: "gone" });
  }
  await using server = await served((response, signal) =>
    writeStream(response, failing(), { ...options, framing: "lines", signal }),
  );
  const [, last = ""] = (await (await fetch(server.url)).text()).split("\n");
  assert.deepEqual(JSON.parse(last), {
    error: {
      grpc_code: 14,
      http_code: 503,
      http_status: "503",
      message: "the cluster is not available: gone",
    },
  });
});

test("nothing is taken from the source faster than the reader reads", async () => {
  let taken = 0;
  async function* endless(): AsyncIterable<object> {
    for (;;) {
      taken += 1;
      yield { text: "x".repeat(64 * 1024), taken };
    }
  }
  await using server = await served((response, signal) =>
    writeStream(response, endless(), { ...options, framing: "lines", signal }),
  );
  const reader = (await fetch(server.url)).body?.getReader();
  await reader?.read();
  let before = -1;
  // Buffers of the sockets fill up; after that nothing moves any more.
  for (let round = 0; round < 100 && before !== taken; round += 1) {
    before = taken;
    await sleep(50);
  }
  assert.equal(before, taken);
  assert.ok(taken < 2000, `${taken} messages were taken`);
  await reader?.cancel();
});
