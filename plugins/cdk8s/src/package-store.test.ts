import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { PackageStore } from "./package-store.ts";

const hourMs = 3_600_000;
const quiet = () => undefined;

async function openStore(limits = { totalBytes: 100_000, sharedBytes: 50_000 }) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-packages-"));
  // What programs write bears the machine's time.
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.reject(new Error("nothing waits here")) };
  const refuse = (_fields: object, message: string) => assert.fail(message);
  const means = { clock, log: { debug: quiet, info: quiet, warn: refuse, error: refuse } };
  const store = new PackageStore(limits);
  let fills = 0;
  const take = (name: string, bytes = 40_000) =>
    store.filled(join(dir, name), means, async (fresh) => {
      fills++;
      await writeFile(join(fresh, "package"), Buffer.alloc(bytes));
    });
  return {
    ...{ dir, store, means, take },
    fills: () => fills,
    wait: (hours: number) => {
      now += hours * hourMs;
    },
    left: async () => (await readdir(dir)).sort(),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

test("a folder is filled once, also for two that want it at the same time", async () => {
  await using world = await openStore();
  const both = await Promise.all([world.take("a"), world.take("a")]);
  for (const held of both) held[Symbol.dispose]();
  (await world.take("a"))[Symbol.dispose]();
  assert.equal(world.fills(), 1);
});

test("packages that were used longest ago make room; what a render uses stays as long as it runs", async () => {
  await using world = await openStore();
  const running = await world.take("a");
  (await world.take("b"))[Symbol.dispose]();
  world.wait(30);
  (await world.take("c"))[Symbol.dispose]();
  world.wait(2);
  (await world.take("c"))[Symbol.dispose]();
  (await world.take("d"))[Symbol.dispose]();
  assert.deepEqual(await world.left(), ["a", "c", "d"]);
  running[Symbol.dispose]();
  world.wait(2);
  (await world.take("c"))[Symbol.dispose]();
  (await world.take("e"))[Symbol.dispose]();
  assert.deepEqual(await world.left(), ["c", "e"]);
  (await world.take("a"))[Symbol.dispose]();
  assert.equal(world.fills(), 6, "what was cleared is fetched again");
});

test("a shared folder that has grown too large is followed by an empty one, and goes once nobody uses it", async () => {
  await using world = await openStore({ totalBytes: 60_000, sharedBytes: 50_000 });
  const prefix = join(world.dir, "go");
  const first = await world.store.shared(prefix, world.means);
  assert.equal(basename(first.folder), "go-1");
  await writeFile(join(first.folder, "module"), Buffer.alloc(60_000));
  // The machine's clock may not have moved on when the second is written.
  const before = new Date(world.means.clock.now() - 1_000);
  await utimes(first.folder, before, before);
  await world.store.grown(first, world.means);
  world.wait(2);
  {
    using second = await world.store.shared(prefix, world.means);
    assert.equal(basename(second.folder), "go-2");
    await writeFile(join(second.folder, "module"), Buffer.alloc(20_000));
    await world.store.grown(second, world.means);
    assert.deepEqual(await world.left(), ["go-1", "go-2"], "a render still uses the first");
    first[Symbol.dispose]();
    await world.store.grown(second, world.means);
  }
  assert.deepEqual(await world.left(), ["go-2"]);
});

test("what a process that was killed has half filled is taken for nothing, and cleared later", async () => {
  await using world = await openStore();
  const filling = `
    import { writeFile } from "node:fs/promises";
    import { join } from "node:path";
    import { PackageStore } from ${JSON.stringify(new URL("./package-store.ts", import.meta.url).href)};
    const clock = { now: () => ${world.means.clock.now()}, sleep: () => new Promise(() => {}) };
    await new PackageStore().filled(${JSON.stringify(join(world.dir, "a"))}, { clock }, async (fresh) => {
      await writeFile(join(fresh, "half"), "");
      console.log("half");
      await new Promise((done) => setTimeout(done, 600_000));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", filling], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "close");
  const [half = ""] = await world.left();
  assert.match(half, /^a\..*\.new$/);
  {
    using held = await world.take("a");
    await assert.rejects(access(join(held.folder, "half")));
    await access(join(held.folder, "package"));
  }
  assert.deepEqual(await world.left(), ["a", half]);
  world.wait(2);
  (await world.take("b"))[Symbol.dispose]();
  assert.deepEqual(await world.left(), ["a", "b"]);
});
