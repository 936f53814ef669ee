import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import type { Manifest } from "@capstan/model";
import { createKubeClient } from "../client/kube-client.ts";
import type { KubeRequest, KubeResponse } from "../transport/transport.ts";
import { followObjects } from "./follow-objects.ts";

const pod = (name: string, resourceVersion: string): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, resourceVersion },
});
const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const expired = { kind: "Status", code: 410, reason: "Expired", message: "gone" };

/** Never lets the hang limit of a watch pass; back-offs pass at once. */
const clock: Clock = {
  now: () => 0,
  sleep: (ms, signal) =>
    ms < 60_000
      ? Promise.resolve()
      : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
};

const discovery = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: { name: "" },
      versions: [
        {
          version: "v1",
          resources: [{ resource: "pods", responseKind: { kind: "Pod" }, scope: "Namespaced", verbs: [] }],
        },
      ],
    },
  ],
};
const json = (value: unknown, status = 200): KubeResponse => ({
  status,
  headers: {},
  body: JSON.stringify(value),
});

/** Plays the answers in order, lists and watches in one sequence; stops when they are used up. */
async function follow(answers: (KubeResponse | (() => KubeResponse))[]) {
  const stop = new AbortController();
  const asked: string[] = [];
  const seen: string[] = [];
  const waits: number[] = [];
  const noting: Clock = {
    ...clock,
    sleep: (ms, signal) => {
      if (ms < 60_000) waits.push(ms);
      return clock.sleep(ms, signal);
    },
  };
  const transport = async ({ url }: KubeRequest): Promise<KubeResponse> => {
    if (url === "/api") return json(discovery);
    if (url === "/apis") return json({ kind: "APIGroupDiscoveryList", items: [] });
    const query = new URL(url, "http://x").searchParams;
    asked.push(query.has("watch") ? `watch ${query.get("resourceVersion")}` : "list");
    const answer = answers.shift();
    if (!answer) {
      stop.abort();
      throw new Error("the end");
    }
    return typeof answer === "function" ? answer() : answer;
  };
  await followObjects({
    client: createKubeClient({ transport, userAgent: "test", clock }),
    query: { apiVersion: "v1", kind: "Pod" },
    clock: noting,
    log: { info: () => undefined, warn: () => undefined },
    signal: stop.signal,
    follower: {
      replaceAll: (objects) => seen.push(`all ${objects.map(({ metadata }) => metadata.name)}`),
      changed: (object) => seen.push(`changed ${object.metadata.name}`),
      deleted: (object) => seen.push(`deleted ${object.metadata.name}`),
      problem: (text) => text && seen.push(`problem ${text}`),
    },
  });
  return { asked, seen, waits };
}

const list = (version: string, ...names: string[]) =>
  json({
    kind: "PodList",
    metadata: { resourceVersion: version },
    items: names.map((name) => pod(name, version)),
  });

test("a watch that ends is resumed from its last event, bookmarks included", async () => {
  const first = line("ADDED", pod("b", "7")) + line("BOOKMARK", pod("", "9"));
  const { asked, seen } = await follow([
    list("5", "a"),
    { status: 200, headers: {}, body: first },
    { status: 200, headers: {}, body: line("DELETED", pod("a", "10")) },
  ]);
  assert.deepEqual(asked, ["list", "watch 5", "watch 9", "watch 10"]);
  assert.deepEqual(seen, ["all a", "changed b", "deleted a"]);
});

test("a version that is too old leads to a new list", async () => {
  const { asked, seen } = await follow([
    list("5", "a"),
    { status: 200, headers: {}, body: line("ERROR", expired) },
    list("20", "c"),
  ]);
  assert.deepEqual(asked, ["list", "watch 5", "list", "watch 20"]);
  assert.deepEqual(seen, ["all a", "all c"]);
});

test("a failed list is tried again and told", async () => {
  const { seen } = await follow([
    json({ kind: "Status", code: 403, reason: "Forbidden", message: "no" }, 403),
    list("5", "a"),
  ]);
  assert.deepEqual(seen.slice(0, 2), ["problem no", "all a"]);
});

test("a server that was away for long is not waited for longer because it is not ready at once", async () => {
  const away = (): KubeResponse => {
    throw new Error("connect ECONNREFUSED");
  };
  const says = (code: number) => json({ kind: "Status", code, message: "not yet" }, code);
  const { seen, waits } = await follow([
    ...Array.from({ length: 20 }, () => away),
    ...Array.from({ length: 10 }, () => says(503)),
    says(404),
    says(404),
    list("5", "a"),
  ]);
  assert.ok(seen.includes("all a"));
  assert.ok(Math.max(...waits.slice(0, 30)) <= 12_000, `${waits}`);
  // The first two refusals: 250 ms and 500 ms, and half as much more at most.
  assert.ok(Math.max(...waits.slice(30, 32)) <= 750, `${waits}`);
});
