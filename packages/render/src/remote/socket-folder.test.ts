import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SocketFolder } from "./socket-folder.ts";

const hourMs = 3_600_000;

test("sidecars are seen as they come and go, also within the moment in which a file system tells no two changes apart", async () => {
  await using opened = new AsyncDisposableStack();
  const top = await mkdtemp(join(tmpdir(), "capstan-sockets-"));
  opened.defer(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, "sockets");
  let nowMs = Date.now();
  const reading = new SocketFolder(folder, { now: () => nowMs, sleep: () => Promise.resolve() });
  const names = async () => (await reading.read()).map(({ name }) => name);
  const listen = async (name: string) => {
    const server = createServer().listen(join(folder, `${name}.sock`));
    await new Promise((resolve) => server.once("listening", resolve));
    return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
  };
  assert.deepEqual(await names(), []);
  await mkdir(folder);
  await writeFile(join(folder, "file.sock"), "");
  assert.deepEqual(await names(), []);
  const one = opened.use(await listen("one"));
  const changed = new Date();
  await utimes(folder, changed, changed);
  assert.deepEqual(await names(), ["one"]);
  opened.use(await listen("two"));
  await utimes(folder, changed, changed);
  assert.deepEqual(await names(), ["one", "two"]);
  nowMs += hourMs;
  assert.deepEqual(await names(), ["one", "two"]);
  const first = await reading.read();
  assert.equal(await reading.read(), first);
  await one[Symbol.asyncDispose]();
  assert.deepEqual(await names(), ["two"]);
  await rm(folder, { recursive: true });
  assert.deepEqual(await names(), []);
});
