import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { AuditEvent } from "../server/audit.ts";
import type { ApiResponse } from "../types.ts";
import { startClusterThread } from "./start-cluster-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-thread-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const dataDir = join(folder, "cluster");
mkdirSync(dataDir);
const heard: AuditEvent[] = [];
const cluster = await startClusterThread({
  dataDir,
  podReadyDelayMs: 0,
  audit: { write: (event) => heard.push(event), annotations: { "x-who": "example.com/who" } },
});
after(() => cluster.close());

const maps = "/api/v1/namespaces/default/configmaps";
interface Sending {
  body?: object;
  signal?: AbortSignal;
}
const ask = (method: string, url: string, { body, signal = new AbortController().signal }: Sending = {}) =>
  cluster.handle({
    method,
    url,
    headers: { "content-type": "application/json", "x-who": "me" },
    signal,
    ...(body && { body: JSON.stringify(body) }),
  });
const textOf = ({ body }: ApiResponse): string => (typeof body === "string" ? body : assert.fail("pieces"));
const map = (name: string, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
});

test("requests are answered and audited as in one thread", async () => {
  const created = await ask("POST", maps, { body: map("one") });
  assert.equal(created.status, 201);
  assert.match(textOf(await ask("GET", `${maps}/one`)), /"name":"one"/);
  assert.equal((await ask("GET", `${maps}/none`)).status, 404);
  const event = heard.find(({ verb }) => verb === "create");
  assert.deepEqual(event?.annotations, { "example.com/who": "me" });
});

test("a watch comes in pieces until its signal ends it", { timeout: 30_000 }, async () => {
  const stop = new AbortController();
  const { body } = await ask("GET", `${maps}?watch=true&fieldSelector=metadata.name=seen`, {
    signal: stop.signal,
  });
  assert.notEqual(typeof body, "string");
  await ask("POST", maps, { body: map("seen") });
  let text = "";
  for await (const piece of body) {
    text += piece;
    if (text.includes('"DELETED"')) stop.abort();
    else if (!text.includes('"MODIFIED"'))
      await ask("PUT", `${maps}/seen`, { body: { ...map("seen"), data: { a: "b" } } });
    else await ask("DELETE", `${maps}/seen`);
  }
  assert.deepEqual(
    text.match(/"type":"[A-Z]+"/g),
    ["ADDED", "MODIFIED", "DELETED"].map((type) => `"type":"${type}"`),
  );
});

test("what takes the cluster long holds nobody else up", { timeout: 60_000 }, async () => {
  const finalizers = Array.from({ length: 20_000 }, (_, index) => `example.com/f-${index}`);
  let turns = 0;
  let answered = false;
  const writing = ask("POST", maps, { body: map("wide", { finalizers }) }).finally(() => (answered = true));
  while (!answered) {
    await setImmediate();
    turns += 1;
  }
  assert.equal((await writing).status, 201);
  // In one thread there would be one. How many it is depends on who else has the machine.
  assert.ok(turns > 4, `${turns} turns of the event loop meanwhile`);
});

test("a busy port is told by its code; a folder that is none, by what is wrong with it", async () => {
  const { port, url } = await cluster.listen({ host: "127.0.0.1", port: 0 });
  assert.match(cluster.kubeconfig(url), new RegExp(`https://127.0.0.1:${port}`));
  await assert.rejects(cluster.listen({ host: "127.0.0.1", port }), { code: "EADDRINUSE" });
  const file = join(folder, "file");
  writeFileSync(file, "");
  await assert.rejects(startClusterThread({ dataDir: file }), /file|directory|database/);
});

test("after the end nothing waits for ever", { timeout: 30_000 }, async () => {
  const { body } = await ask("GET", `${maps}?watch=true`);
  const watching = Array.fromAsync(body as AsyncIterable<string>).then(
    () => "ended",
    () => "ended",
  );
  await cluster.close();
  assert.equal(await watching, "ended");
  await assert.rejects(ask("GET", maps), /stopping/);
});
