import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stoppedClock } from "@capstan/testkit";
import { KeptFiles } from "./kept-files.ts";

test("what was used longest ago goes first; what a kill left, and former versions, when it is opened", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-kept-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, "v1-old"), "x");
  await writeFile(join(dir, "v2-half.1.new"), "x");
  const clock = stoppedClock();
  const files = await KeptFiles.open({ dir, clock, maxBytes: 10, writesBetweenSweeps: 3, prefix: "v2-" });
  assert.deepEqual(await readdir(dir), []);
  for (const name of ["a", "b"]) {
    await files.write(name, "12345");
    await files.touch(name);
    await clock.advance(60_000);
  }
  await files.touch("a");
  // A write under way is nobody's to remove.
  await writeFile(join(dir, "v2-c.2.new"), "12345");
  await clock.advance(60_000);
  await files.write("c", "12345");
  assert.deepEqual((await readdir(dir)).sort(), ["v2-a", "v2-c", "v2-c.2.new"]);
  assert.equal((await files.read("a"))?.toString(), "12345");
  assert.equal(await files.bytesOf("b"), undefined);
  const again = await KeptFiles.open({ dir, clock, maxBytes: 10, writesBetweenSweeps: 3, prefix: "v2-" });
  assert.equal((await again.read("a"))?.toString(), "12345");
  await again.remove("a");
  assert.deepEqual([await again.read("a"), await again.bytesOf("c")], [undefined, 5]);
});
