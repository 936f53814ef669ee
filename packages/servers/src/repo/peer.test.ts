import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { CapstanError, isCapstanError } from "@capstan/model";
import { type Handler, Peer } from "./peer.ts";

const never = new AbortController().signal;
const lost = (problem = "closed") => new Error(`lost: ${problem}`);

function connect(methods: Record<string, Handler>, maxFrameBytes = 1_000_000): { asks: Peer; serves: Peer } {
  const [left, right] = duplexPair();
  const common = { maxFrameBytes, maxCalls: 3, lost };
  return { asks: new Peer(left, common), serves: new Peer(right, { ...common, methods }) };
}

test("what is asked and answered stays exact: numbers beyond 2^53, every character, absent fields", async () => {
  const { asks } = connect({ echo: async (request: unknown) => request });
  const value = { big: 12345678901234567890n, text: "\u0000 ü 𝄞 \u2028", nothing: null, list: [1.5, -0.25] };
  assert.deepEqual(await asks.call("echo", value, { signal: never }), value);
  assert.equal(await asks.call("echo", undefined, { signal: never }), undefined);
});

test("a failure arrives with all its facts; what is no failure of ours arrives as its text", async () => {
  const failure = {
    code: "MANIFEST_INVALID",
    file: "a.yaml",
    line: 3,
    problem: "odd",
    cachedUntil: "2026",
  } as const;
  const { asks } = connect({
    ours: () => Promise.reject(new CapstanError(failure, new Error("a secret"))),
    other: () => Promise.reject(new TypeError("a bug")),
  });
  await assert.rejects(asks.call("ours", {}, { signal: never }), (error) => {
    assert.ok(isCapstanError(error));
    assert.deepEqual(error.failure, failure);
    return true;
  });
  await assert.rejects(asks.call("other", {}, { signal: never }), /^Error: a bug$/);
  await assert.rejects(asks.call("toString", {}, { signal: never }), /toString is not implemented/);
});

test("a call that is given up rejects with its signal's reason, and the other side stops", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { asks } = connect({
    wait: (_, { signal }) => {
      begun.resolve();
      signal.addEventListener("abort", () => stopped.resolve());
      return new Promise(() => undefined);
    },
  });
  const stop = new AbortController();
  const call = asks.call("wait", {}, { signal: stop.signal });
  await begun.promise;
  stop.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await stopped.promise;
  await assert.rejects(asks.call("wait", {}, { signal: stop.signal }), /enough/);
});

test("more calls at once than the limit fail, and those under way do not", async () => {
  const release = Promise.withResolvers<string>();
  const { asks } = connect({ wait: () => release.promise });
  const waiting = [1, 2, 3].map(() => asks.call("wait", {}, { signal: never }));
  await assert.rejects(asks.call("wait", {}, { signal: never }), /queue of calls is full \(3 waiting\)/);
  release.resolve("done");
  assert.deepEqual(await Promise.all(waiting), ["done", "done", "done"]);
});

test("an answer above the limit fails by itself; the next one comes", async () => {
  const { asks } = connect({ say: async ({ length }: { length: number }) => "x".repeat(length) }, 1_000);
  await assert.rejects(
    asks.call("say", { length: 1_001 }, { signal: never }),
    /more than the limit of 1000 bytes/,
  );
  assert.equal(await asks.call("say", { length: 900 }, { signal: never }), "x".repeat(900));
});

test("who announces a message above the limit is not listened to any further", async () => {
  const [left, right] = duplexPair();
  const asks = new Peer(left, { maxFrameBytes: 1_000, maxCalls: 3, lost });
  const call = asks.call("any", {}, { signal: never });
  right.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]));
  await assert.rejects(call, /2147483647 bytes is larger than the limit of 1000/);
});

test("when the other side ends, calls fail and its own are aborted", async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const { asks, serves } = connect({
    wait: (_, { signal }) => {
      begun.resolve(signal);
      return new Promise(() => undefined);
    },
  });
  const call = asks.call("wait", {}, { signal: never });
  const served = await begun.promise;
  serves.close();
  await assert.rejects(call, /lost/);
  assert.ok(served.aborted);
  await assert.rejects(asks.call("wait", {}, { signal: never }), /lost/);
});

test("a message in pieces is one message, and several in one piece are several", async () => {
  const [left, right] = duplexPair();
  const heard: unknown[] = [];
  new Peer(left, {
    maxFrameBytes: 1_000,
    maxCalls: 3,
    lost,
    told: { word: (value: unknown) => heard.push(value) },
  });
  const frame = (value: string): Buffer => {
    const body = Buffer.from(JSON.stringify({ tell: "word", value }));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(body.length);
    return Buffer.concat([header, body]);
  };
  const all = Buffer.concat([frame("one"), frame("twö"), frame("three")]);
  for (const byte of all.subarray(0, 60)) right.write(Buffer.from([byte]));
  right.end(all.subarray(60));
  await new Promise((resolve) => left.once("close", resolve));
  assert.deepEqual(heard, ["one", "twö", "three"]);
});
