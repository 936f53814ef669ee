/** What strangers say of traces, and collectors that do not do their part. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { annotationKeys } from "@capstan/model";
import { eventually, startTraceReceiver } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";
import { startAttackWorld } from "../world.ts";

const forgedIds = { header: "a".repeat(32), annotation: "b".repeat(32) };
const naming = (traceId: string): string => `00-${traceId}-${"c".repeat(16)}-01`;

/** An application whose look goes on with this trace, as its owner says. */
const annotated = (name: string, traceparent: string): Attack["play"] =>
  deploys(name, {
    files: () => ({ "app/a.yaml": fineConfigMap }),
    application: () => ({
      metadata: {
        annotations: { [annotationKeys.refresh]: "normal", [annotationKeys.traceparent]: traceparent },
      },
    }),
    ends: { harmless: true },
  });

const forged: Attack["play"] = async ({ mode }) => {
  await using receiver = await startTraceReceiver();
  await using world = await startAttackWorld(mode, ["--otlp-address", receiver.url]);
  await Promise.all([
    annotated("trace-named", naming(forgedIds.annotation))(world),
    annotated("trace-of-zeros", `00-${"0".repeat(32)}-${"0".repeat(16)}-01`)(world),
    annotated("trace-without-end", "0".repeat(200_000))(world),
  ]);
  for (const traceparent of [naming(forgedIds.header), `00-${forgedIds.header.repeat(200)}`]) {
    const headers = { traceparent };
    const looked = await world.ask("alice", "GET /api/v1/applications/trace-named?refresh=normal", {
      headers,
    });
    assert.equal(looked.status, 200, JSON.stringify(looked.body));
    const pushed = await world.ask("nobody", "POST /api/webhook", {
      headers: { ...headers, "x-github-event": "push" },
      body: { ref: "refs/heads/main", repository: { html_url: `${world.at.gitUrl}/team-trace-named` } },
    });
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body));
  }
  // Spans come in the order in which they end.
  await world.ask("alice", "GET /api/v1/session/userinfo");
  await receiver.span(({ name }) => /^api .*userInfo/i.test(name), "the last call");
  const traceIds = new Set(receiver.spans.map(({ traceId }) => traceId));
  // A look goes on with what its owner's annotation names: a trace by header would be seen here as well.
  assert.ok(traceIds.has(forgedIds.annotation), "the annotation's trace did not come");
  assert.ok(!traceIds.has(forgedIds.header), "a caller's trace came");
  for (const span of receiver.spans) {
    assert.match(span.traceId, /^(?!0{32})[0-9a-f]{32}$/);
    for (const fact of Object.values(span.facts)) assert.ok(String(fact).length <= 1_025, span.name);
  }
  await world.assertUnharmed([JSON.stringify(receiver.spans)]);
};

/** Applications sync and calls are answered while traces go there. */
async function stands(mode: Parameters<typeof startAttackWorld>[0], port: number, tried: () => boolean) {
  const flags = ["--otlp-address", `127.0.0.1:${port}`];
  await using world = await startAttackWorld(mode, flags);
  await eventually(async () => (tried() || world.capstan.output().includes(notTaken) ? true : undefined), {
    signal: AbortSignal.timeout(60_000),
    describe: () => `nothing was sent: ${world.capstan.output()}`,
  });
  await deploys("beside-the-collector", {
    files: () => ({ "app/a.yaml": fineConfigMap }),
    ends: { harmless: true },
  })(world);
  const listed = await world.ask("alice", "GET /api/v1/applications");
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
}

const notTaken = "the collector does not take traces";

/** It takes connections, and says nothing on them. */
const silent: Attack["play"] = async ({ mode }) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).resume();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await stands(mode, (server.address() as AddressInfo).port, () => connections > 0);
  } finally {
    server.close();
  }
};

const heldBy = "spans are sent in the background, bounded in number, size and time; nobody waits for them";

export const attacks: readonly Attack[] = [
  {
    id: "traces/forged-traceparent",
    threat:
      "A caller or an annotation names another's trace, one that cannot be read, or one of 200,000 characters",
    heldBy:
      "callers' traceparent does not count; an annotation's is read to the letter of W3C, and reaches the look at its application alone",
    slow: true,
    play: forged,
  },
  {
    id: "traces/collector-that-never-answers",
    threat: "The collector of traces takes connections and never answers",
    heldBy,
    slow: true,
    play: silent,
  },
  {
    id: "traces/collector-that-is-away",
    threat: "Nothing listens where the collector of traces ought to be",
    heldBy,
    slow: true,
    // A port that nobody is given: those below 1024 are asked for by name.
    play: ({ mode }) => stands(mode, 1, () => false),
  },
];
