import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ClusterProcess } from "./cluster-process.ts";

const maps = "/api/v1/namespaces/default/configmaps";

/** A small file system in memory, or why there is none. */
function smallDisk(t: TestContext): { folder: string } | { absent: string } {
  const folder = mkdtempSync(join(tmpdir(), "capstan-full-"));
  const made = spawnSync("mount", ["-t", "tmpfs", "-o", "size=9m", "tmpfs", folder], { encoding: "utf8" });
  t.after(() => {
    if (made.status === 0) spawnSync("umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (made.status === 0) return { folder };
  return { absent: `mounting a small disk needs root: ${made.error?.message ?? made.stderr.trim()}` };
}

const mapOf = (index: number) => ({
  metadata: { name: `map-${index}` },
  data: { text: String(index % 10).repeat(100_000) },
});

test("a full disk refuses writes and says so, reads go on, and space makes it well again", async (t) => {
  const disk = smallDisk(t);
  if ("absent" in disk) return t.skip(disk.absent);
  const ballast = join(disk.folder, "ballast");
  // As much as the log may hold: what is freed can go to the checkpoint that was waiting for it.
  writeFileSync(ballast, Buffer.alloc(3_500_000));
  const dataDir = join(disk.folder, "data");
  mkdirSync(dataDir);
  let stored = 0;
  {
    await using cluster = await ClusterProcess.start(dataDir);
    let reply = await cluster.send("POST", maps, mapOf(0));
    for (stored = 1; reply.status === 201 && stored < 100; stored += 1)
      reply = await cluster.send("POST", maps, mapOf(stored));
    stored -= 1;
    assert.ok(stored > 5 && stored < 80, `${stored} were stored`);
    assert.equal(reply.status, 507, reply.text);
    assert.equal(reply.body.kind, "Status");
    assert.match(
      String(reply.body.message),
      /the disk that holds the cluster's data is full; free some space/,
    );
    // SQLite may make room by a checkpoint meanwhile: what is acknowledged counts, all else is a 507.
    for (let again = 0; again < 3; again += 1) {
      const { status } = await cluster.send("POST", maps, mapOf(stored));
      if (status === 201) stored += 1;
      else assert.equal(status, 507);
    }
    assert.equal((await cluster.send("GET", `${maps}/map-${stored - 1}`)).status, 200);
    assert.equal((await cluster.send("GET", `${maps}/map-${stored}`)).status, 404);
  }
  {
    await using cluster = await ClusterProcess.start(dataDir);
    const list = await cluster.send("GET", maps);
    assert.equal(list.text.match(/"name":"map-/g)?.length, stored);
    rmSync(ballast);
    assert.equal((await cluster.send("POST", maps, mapOf(stored))).status, 201);
  }
});
