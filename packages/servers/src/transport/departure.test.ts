import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { realClock } from "@capstan/testkit";
import { listenOn } from "../listen-on.ts";
import { Departure } from "./departure.ts";

const limit = () => AbortSignal.timeout(20_000);

interface Asked {
  readonly connection: string | null;
  readonly text: string;
}

async function openLeaving() {
  const departure = new Departure();
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    departure.take(response);
    waiting.push(response);
    server.emit("asked");
  });
  const { url } = await listenOn(server, { host: "127.0.0.1", port: 0 });
  const ask = async (): Promise<Asked> => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(20_000) });
    return { connection: answer.headers.get("connection"), text: await answer.text() };
  };
  return {
    departure,
    /** Resolves when it is there, which has no answer yet. */
    async begin(): Promise<{ response: ServerResponse; answer: Promise<Asked> }> {
      const asked = once(server, "asked");
      const answer = ask();
      await asked;
      const response = waiting.at(-1);
      assert.ok(response);
      return { response, answer };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("what is under way when a server leaves is answered, on a connection that nobody uses again", async () => {
  await using world = await openLeaving();
  const { departure } = world;
  const before = await world.begin();
  let hasLeft = false;
  const leaving = departure.leave({ delayMs: 0, drainMs: 20_000 }, realClock).then(() => {
    hasLeft = true;
  });
  assert.ok(departure.leaving.aborted);
  const later = await world.begin();
  later.response.end("later");
  assert.deepEqual(await later.answer, { connection: "close", text: "later" });
  assert.ok(departure.ending.aborted, "streams end");
  assert.equal(hasLeft, false);
  before.response.end("before");
  assert.deepEqual(await before.answer, { connection: "close", text: "before" });
  await leaving;
});

test("an answer that had begun already takes its connection along", async () => {
  await using world = await openLeaving();
  const { response, answer } = await world.begin();
  response.write("begun, ");
  const leaving = world.departure.leave({ delayMs: 0, drainMs: 20_000 }, realClock);
  const { socket } = response;
  assert.ok(socket);
  const closed = once(socket, "close");
  response.end("ended");
  assert.equal((await answer).text, "begun, ended");
  await closed;
  await leaving;
});

test("while all is served as before, an answer that had begun leaves its connection to the next request", async (t) => {
  const departure = new Departure();
  const delay = Promise.withResolvers<void>();
  let leaving: Promise<void> | undefined;
  const server = createServer((request, response) => {
    departure.take(response);
    response.write(`${request.url} `);
    leaving ??= departure.leave(
      { delayMs: 500, drainMs: 20_000 },
      { ...realClock, sleep: () => delay.promise },
    );
    response.end("ended");
  });
  const { url } = await listenOn(server, { host: "127.0.0.1", port: 0 });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("utf8");
  const ask = async (path: string) => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    let said = "";
    while (!said.endsWith("0\r\n\r\n")) said += (await once(socket, "data", { signal: limit() }))[0];
    return said;
  };
  assert.match(await ask("/first"), /keep-alive.*first/s);
  assert.match(await ask("/next"), /connection: close.*next/is);
  delay.resolve();
  await leaving;
});

test("streams end only after the delay, and who never ends is not waited for", async () => {
  await using world = await openLeaving();
  const { answer } = await world.begin();
  const { departure } = world;
  const seen: boolean[] = [];
  const clock = {
    ...realClock,
    now: () => seen.length * 1_000,
    sleep: async () => void seen.push(departure.ending.aborted),
  };
  await departure.leave({ delayMs: 500, drainMs: 1_500 }, clock);
  assert.deepEqual(seen, [false, true, true]);
  assert.ok(departure.ending.aborted);
  answer.catch(() => undefined);
});
