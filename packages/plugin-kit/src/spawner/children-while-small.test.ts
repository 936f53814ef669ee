import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { childrenWhileSmall } from "./children-while-small.ts";
import { Spawner } from "./spawner.ts";

const folder = await mkdtemp(join(tmpdir(), "capstan-small-"));
after(() => rm(folder, { recursive: true, force: true }));
const said = { program: "echo", args: ["said"], cwd: folder, env: { PATH: "/usr/bin:/bin" } };

test("a process that has not grown starts a program itself; once there is another for that, that one does", async () => {
  await using spawner = await Spawner.open(join(folder, "pipes"), said.env.PATH);
  const starter = childrenWhileSmall(spawner, Number.POSITIVE_INFINITY);
  assert.equal(await text((await starter.start(said)).stdout), "said\n");
  assert.equal(spawner.hasBegun, false);
  assert.equal(await text((await spawner.start(said)).stdout), "said\n");
  assert.equal(await text((await starter.start(said)).stdout), "said\n");
  assert.equal(spawner.hasBegun, true);
});

test("one that has grown has it started", async () => {
  await using spawner = await Spawner.open(join(folder, "others"), said.env.PATH);
  const started = await childrenWhileSmall(spawner, 0).start(said);
  assert.equal(await text(started.stdout), "said\n");
  assert.equal(spawner.hasBegun, true);
});
