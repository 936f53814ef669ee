import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { stoppedClock } from "@capstan/testkit";
import type { WebSocket } from "ws";
import { ManyStreams } from "./many-streams.ts";

/** Whoever stands behind it asks and reads nothing: what is sent never goes out. */
class DeafSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  sent = 0;
  closedWith: number | undefined;
  send(): void {
    this.sent += 1;
  }
  pings = 0;
  ping(): void {
    this.pings += 1;
  }
  close(code: number): void {
    this.readyState = 2;
    this.closedWith ??= code;
  }
  terminate(): void {
    this.readyState = 3;
  }
}

test("who asks for ever more streams and reads no answer is sent away", async () => {
  const socket = new DeafSocket();
  const end = new AbortController();
  const streams = new ManyStreams(socket as unknown as WebSocket, {
    open: async () => undefined,
    identify: () => Promise.reject(new Error("is not asked in this test")),
    translateError: (error) => error,
    clock: stoppedClock(),
    signal: end.signal,
    log: { warn: () => undefined },
  });
  const running = streams.run();
  for (let id = 0; id < 2_000 && socket.closedWith === undefined; id += 1)
    socket.emit("message", JSON.stringify({ open: id, url: "/api/v1/stream/none" }));
  assert.equal(socket.closedWith, 1008);
  await new Promise(setImmediate);
  assert.ok(socket.sent <= 512, `${socket.sent}`);
  end.abort(new Error("the test is over"));
  await running;
});
