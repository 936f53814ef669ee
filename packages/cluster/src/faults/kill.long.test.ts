import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isWhole } from "@capstan/testkit/whole-suite";
import { isRecord } from "../types.ts";
import { ClusterProcess } from "./cluster-process.ts";

/** CAPSTAN_LONG=1 npm test -- packages/cluster/src/faults */
const kills = isWhole ? 200 : 8;
const writers = 4;
const maps = "/api/v1/namespaces/default/configmaps";

/** What is known of one ConfigMap: what was acknowledged last, and whether a request was under way at the end. */
interface Known {
  revision: number;
  value: number | undefined;
  isUnsure: boolean;
}

interface History {
  known: Map<string, Known>;
  /** Every resourceVersion that was seen, with what it was of. */
  revisions: Map<number, string>;
  watched: number;
}

const revisionOf = (object: unknown): number => {
  const metadata = isRecord(object) && isRecord(object.metadata) ? object.metadata : {};
  return Number(metadata.resourceVersion);
};

function noteRevision({ revisions }: History, revision: number, what: string): void {
  const before = revisions.get(revision);
  assert.ok(before === undefined || before === what, `revision ${revision} is both ${before} and ${what}`);
  revisions.set(revision, what);
}

/** One writer has its names for itself: it creates, changes and deletes until the connection breaks. */
async function write(cluster: ClusterProcess, history: History, writer: number): Promise<void> {
  for (let step = 0; ; step += 1) {
    const name = `w${writer}-${randomInt(12)}`;
    const known = history.known.get(name) ?? { revision: 0, value: undefined, isUnsure: false };
    history.known.set(name, known);
    known.isUnsure = true;
    const value = randomInt(1_000_000_000);
    const gone = known.value !== undefined && step % 3 === 2;
    const body = { metadata: { name }, data: { value: String(value) } };
    const method = known.value === undefined ? "POST" : gone ? "DELETE" : "PUT";
    const path = method === "POST" ? maps : `${maps}/${name}`;
    const reply = await cluster.send(method, path, gone ? undefined : body).catch(() => undefined);
    if (reply === undefined) return;
    assert.ok(reply.status < 300, `${method} ${name}: ${reply.text}`);
    if (!gone) noteRevision(history, revisionOf(reply.body), `${name}=${value}`);
    known.revision = gone ? known.revision : revisionOf(reply.body);
    known.value = gone ? undefined : value;
    known.isUnsure = false;
  }
}

/** Follows from where the last watch ended; a 410 is the right to start from now. */
async function watch(cluster: ClusterProcess, history: History): Promise<void> {
  const path = `${maps}?watch=true&resourceVersion=${history.watched}`;
  const response = await cluster.open({ path });
  let rest = "";
  for await (const piece of response.setEncoding("utf8")) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { type, object }: { type: string; object: Record<string, unknown> } = JSON.parse(line);
      if (type === "ERROR") {
        assert.equal(object.code, 410, line);
        history.watched = 0;
        return;
      }
      const revision = revisionOf(object);
      assert.ok(revision > history.watched, `${revision} after ${history.watched}`);
      history.watched = revision;
      const { name } = isRecord(object.metadata) ? object.metadata : {};
      const { value } = isRecord(object.data) ? object.data : {};
      if (type !== "DELETED") noteRevision(history, revision, `${name}=${value}`);
    }
  }
}

async function checkAcknowledged(cluster: ClusterProcess, { known }: History): Promise<void> {
  const { body } = await cluster.send("GET", maps);
  const items = (Array.isArray(body.items) ? body.items : []).filter(isRecord);
  const found = new Map(
    items.map((item) => [isRecord(item.metadata) ? String(item.metadata.name) : "", item]),
  );
  for (const [name, one] of known) {
    const item = found.get(name);
    const value = isRecord(item?.data) ? Number(item.data.value) : undefined;
    if (!one.isUnsure) assert.equal(value, one.value, `${name} is not as it was acknowledged`);
    else if (item) assert.ok(revisionOf(item) >= one.revision, `${name} went back in time`);
    Object.assign(one, { value, revision: item ? revisionOf(item) : one.revision, isUnsure: false });
  }
}

test(`${kills} kills at random moments lose no acknowledged write and use no revision twice`, {
  timeout: kills * 30_000,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-kill-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const history: History = { known: new Map(), revisions: new Map(), watched: 0 };
  for (let round = 0; round < kills; round += 1) {
    await using cluster = await ClusterProcess.start(dataDir);
    await checkAcknowledged(cluster, history);
    const highest = Math.max(0, ...history.revisions.keys());
    const { body } = await cluster.send("GET", maps);
    assert.ok(revisionOf(body) >= highest, "the revision went back");
    history.watched ||= revisionOf(body);
    const following = watch(cluster, history).catch((error: unknown) => {
      if (error instanceof assert.AssertionError) throw error;
    });
    const writing = Array.from({ length: writers }, (_, writer) => write(cluster, history, writer));
    const ended = Promise.allSettled([...writing, following]);
    // Every second kill comes after a write was answered, however slow the machine; the others may come before.
    while (round % 2 === 1 && history.revisions.size < round && !cluster.hasEnded) await sleep(5);
    await sleep(randomInt(250));
    await cluster.kill();
    for (const one of await ended) if (one.status === "rejected") throw one.reason;
  }
  t.diagnostic(`${kills} kills, ${history.revisions.size} revisions`);
  assert.ok(history.revisions.size >= kills - 1);
});
