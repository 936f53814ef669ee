import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clearUnused, folderBytes } from "./clear-unused.ts";

const hourMs = 3_600_000;
const now = 1_000 * hourMs;

/** Folders by what they hold and how long ago they were used. */
async function openFolder(folders: Readonly<Record<string, { bytes: number; hoursAgo: number }>>) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-clear-"));
  for (const [name, { bytes, hoursAgo }] of Object.entries(folders)) {
    await mkdir(join(dir, name, "inner"), { recursive: true });
    await writeFile(join(dir, name, "inner", "file"), Buffer.alloc(bytes));
    const used = new Date(now - hoursAgo * hourMs);
    await utimes(join(dir, name), used, used);
  }
  return {
    dir,
    left: async () => (await readdir(dir)).sort(),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

const three = {
  old: { bytes: 40_000, hoursAgo: 30 },
  older: { bytes: 40_000, hoursAgo: 40 },
  recent: { bytes: 40_000, hoursAgo: 2 },
};

test("what was used longest ago goes until the rest fits, by bytes or by number", async () => {
  await using byBytes = await openFolder(three);
  await clearUnused(byBytes.dir, { now, maxBytes: 100_000 });
  assert.deepEqual(await byBytes.left(), ["old", "recent"]);
  await using byNumber = await openFolder(three);
  await clearUnused(byNumber.dir, { now, maxEntries: 1 });
  assert.deepEqual(await byNumber.left(), ["recent"]);
});

test("what was used within the hour or is held stays, however large", async () => {
  await using folder = await openFolder({ ...three, young: { bytes: 100_000, hoursAgo: 0.5 } });
  await clearUnused(folder.dir, { now, maxBytes: 1, isHeld: (path) => path.endsWith("older") });
  assert.deepEqual(await folder.left(), ["older", "young"]);
});

test("halves that a killed process left go, unless one may still be at work on them; they count for nothing", async () => {
  await using folder = await openFolder({
    ...three,
    "a.1.new": { bytes: 500_000, hoursAgo: 5 },
    "b.2.new": { bytes: 500_000, hoursAgo: 0.1 },
  });
  await clearUnused(folder.dir, { now, maxBytes: 200_000 });
  assert.deepEqual(await folder.left(), ["b.2.new", "old", "older", "recent"]);
});

test("measuring a folder is no use of it", async () => {
  await using folder = await openFolder(three);
  assert.ok((await folderBytes(join(folder.dir, "old"))) >= 40_000);
  await clearUnused(folder.dir, { now, maxEntries: 2 });
  assert.deepEqual(await folder.left(), ["old", "recent"]);
});
