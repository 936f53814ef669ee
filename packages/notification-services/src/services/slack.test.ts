import assert from "node:assert/strict";
import { test } from "node:test";
import { startStore } from "@capstan/secret-services/test-store";
import { realClock } from "@capstan/testkit";
import { createService } from "../create-service.ts";
import type { SlackPart } from "../notification.ts";
import { ServiceMemory } from "../service-memory.ts";

const clock = realClock;
const { signal } = new AbortController();
const part: SlackPart = {
  username: "",
  icon: "",
  attachments: "",
  blocks: "",
  groupingKey: "k",
  notifyBroadcast: false,
  deliveryPolicy: "Post",
};

test("a thread goes on in a service that was made anew, and in no other workspace", async () => {
  const threads: (string | null)[] = [];
  await using server = await startStore(({ text }) => {
    threads.push(new URLSearchParams(text).get("thread_ts"));
    return [200, { ok: true, ts: `${threads.length}.0`, channel: "C" }];
  });
  const memory = new ServiceMemory();
  for (const token of ["one", "one", "two", "one"]) {
    const config = { token, apiURL: `${server.address}/` };
    const service = createService({ type: "slack", config, clock, memory });
    await service.send({ message: "m", slack: part }, "room", { signal });
  }
  assert.deepEqual(threads, [null, "1.0", null, "1.0"]);
});

test("what has no effect is said", () => {
  const config = { token: "t", icon: "rocket", signingSecret: "s", maxIdleConns: 1, chanels: [] };
  assert.deepEqual(createService({ type: "slack", config, clock }).warnings, [
    "chanels is not a field that this version knows; did you mean channels?",
    "maxIdleConns has no effect: no connection is kept",
    "signingSecret has no effect: it is of Argo CD's bot",
    "icon is neither :emoji: nor an address of HTTP",
  ]);
});
