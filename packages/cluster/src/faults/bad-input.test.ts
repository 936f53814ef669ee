import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import { isWhole, onlyWhole } from "@capstan/testkit/whole-suite";
import { type Ask, ClusterProcess } from "./cluster-process.ts";
import { mutatedRequest, randomOf } from "./mutations.ts";

/**
 * CAPSTAN_LONG=1 npm test -- packages/cluster/src/faults; CAPSTAN_SEED repeats a run. Where a run decides over a landing
 * it asks the same each time: a fault that was there before is found by those who look for one.
 */
const requests = isWhole ? 10_000 : 600;
const seed = Number(process.env.CAPSTAN_SEED ?? (process.env.CI ? 1 : Date.now() % 1_000_000));
const inFlight = 8;
const memoryLimitMegabytes = 700;
const maps = "/api/v1/namespaces/default/configmaps";

async function startCluster(t: TestContext): Promise<ClusterProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-bad-"));
  const cluster = await ClusterProcess.start(dataDir);
  t.after(async () => {
    await cluster.kill();
    await rm(dataDir, { recursive: true, force: true });
  });
  return cluster;
}

async function requireAlive(cluster: ClusterProcess): Promise<void> {
  assert.ok(!cluster.hasEnded, `the cluster ended: ${cluster.errors}`);
  assert.equal((await cluster.ask({ path: "/readyz" })).text, "ok");
  assert.ok(cluster.peakMegabytes < memoryLimitMegabytes, `${cluster.peakMegabytes} MB`);
}

function describe({ method, path, headers, body = "" }: Ask): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${body.toString().slice(0, 300)}`;
}

/** What is wrong with the answer, if anything. */
async function problemOf(cluster: ClusterProcess, ask: Ask): Promise<string | undefined> {
  const { status, body, text } = await cluster.ask(ask);
  if (status < 400 || ask.method === "HEAD") return undefined;
  if (/Internal error occurred/.test(text)) return text;
  // Paths outside the API are answered in plain text by kube-apiserver too.
  if (status === 404 && text === "404 page not found\n") return undefined;
  const isStatus = body.kind === "Status" && body.status === "Failure" && body.code === status;
  const explains = typeof body.message === "string" && body.message !== "" && "reason" in body;
  return isStatus && explains ? undefined : `${status} ${text}`;
}

test(`${requests} mutated requests: a Status with a reason each time, no crash, no unbounded memory`, {
  timeout: requests * 500,
}, async (t) => {
  t.diagnostic(`CAPSTAN_SEED=${seed}`);
  const cluster = await startCluster(t);
  const random = randomOf(seed);
  const waiting = Array.from({ length: requests }, () => mutatedRequest(random)).values();
  const problems: string[] = [];
  const workers = Array.from({ length: inFlight }, async () => {
    for (const ask of waiting) {
      const problem = await problemOf(cluster, ask).catch((error: unknown) => String(error));
      if (problem) problems.push(`${describe(ask)}\n  ${problem.slice(0, 400)}`);
    }
  });
  await Promise.all(workers);
  t.diagnostic(`peak memory ${cluster.peakMegabytes.toFixed(0)} MB`);
  assert.equal(problems.length, 0, `${problems.length} of ${requests}:\n${problems.slice(0, 8).join("\n")}`);
  await requireAlive(cluster);
});

test("100 MB bodies, broken HTTP and senders that stop halfway harm nobody else", async (t) => {
  const cluster = await startCluster(t);
  const authorization = `Bearer ${cluster.token}`;
  const huge = Buffer.alloc(100_000_000, "x");
  const headers = { "content-type": "application/json" };
  const answers = [1, 2].map(() => cluster.ask({ method: "POST", path: maps, headers, body: huge }));
  for (const answer of await Promise.allSettled(answers))
    if (answer.status === "fulfilled") assert.equal(answer.value.status, 413);
  const open = [
    "GET / HTTP/9.9\r\n\r\n",
    "\0\0\0\0",
    `POST ${maps} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-length: 100\r\n\r\n{`,
    `POST ${maps} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(5_000)}`,
  ].map((text) => {
    const socket = connect({ host: "127.0.0.1", port: cluster.port, rejectUnauthorized: false });
    socket.on("error", () => socket.destroy());
    socket.write(text);
    return socket;
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  await requireAlive(cluster);
});

test("a sender that is too slow is answered with 408", {
  skip: onlyWhole,
}, async (t) => {
  const cluster = await startCluster(t);
  const socket = connect({ host: "127.0.0.1", port: cluster.port, rejectUnauthorized: false });
  const head = `POST ${maps} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${cluster.token}\r\ncontent-length: 100\r\n\r\n`;
  socket.write(head);
  const drip = setInterval(() => socket.write("x"), 1_000);
  t.after(() => {
    clearInterval(drip);
    socket.destroy();
  });
  const [answer] = await once(socket, "data");
  assert.match(String(answer), /^HTTP\/1.1 408 /);
  await requireAlive(cluster);
});
