import assert from "node:assert/strict";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { followFiles } from "./follow-files.ts";
import { readToken } from "./read-pem.ts";

/** Two files of which the first must say what the second says, followed by a clock that the test moves. */
async function openPair() {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-follow-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const stopping = new AbortController();
  opened.defer(() => stopping.abort());
  const files = [join(dir, "one"), join(dir, "two")];
  const write = async (...texts: string[]) => {
    for (const [at, text] of texts.entries()) await writeFile(files[at] ?? "", text);
  };
  const said: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (_fields: object, message: string) => void said.push(message),
    error: (fields: object, message: string) =>
      void said.push(`${message}: ${"error" in fields && String(fields.error)}`),
  };
  // The follower sleeps again once it has looked.
  let asleep = Promise.withResolvers<() => void>();
  const clock = {
    now: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
        asleep.resolve(resolve);
      }),
  };
  const look = async () => {
    const wake = await asleep.promise;
    asleep = Promise.withResolvers();
    wake();
    await asleep.promise;
  };
  const read = ([one = "", two = ""]: readonly string[]) => {
    if (one !== two) throw new Error(`"${one}" is not "${two}"`);
    return one;
  };
  const follow = () => followFiles(files, read, { clock, log, signal: stopping.signal });
  const closing = opened.move();
  return { files, write, said, look, follow, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test("changed files are read anew and told of, also where others take their place", async () => {
  await using pair = await openPair();
  await pair.write("a", "a");
  const followed = await pair.follow();
  const told: string[] = [];
  const end = followed.onChange(() => told.push(followed.current()));
  await pair.look();
  await pair.write("b", "b");
  await pair.look();
  for (const file of pair.files) {
    await writeFile(`${file}.new`, "c");
    await rename(`${file}.new`, file);
  }
  await pair.look();
  end();
  await pair.write("d", "d");
  await pair.look();
  assert.deepEqual(told, ["b", "c"]);
  assert.equal(followed.current(), "d");
  assert.deepEqual(pair.said, []);
});

test("halves are said once and change nothing; the whole is taken", async () => {
  await using pair = await openPair();
  await pair.write("a", "a");
  const followed = await pair.follow();
  await pair.write("b");
  await pair.look();
  await pair.look();
  assert.equal(followed.current(), "a");
  const problem = 'files that have changed cannot be used; the earlier ones stay: Error: "b" is not "a"';
  assert.deepEqual(pair.said, [problem]);
  await pair.write("b", "b");
  await pair.look();
  assert.equal(followed.current(), "b");
  await rm(pair.files[1] ?? "");
  await pair.look();
  assert.equal(followed.current(), "b", "a file that is away for a moment changes nothing");
  assert.equal(pair.said.length, 2);
});

test("at the start, files that make no sense are an error that names them", async () => {
  await using pair = await openPair();
  await pair.write("a", "b");
  await assert.rejects(pair.follow(), /"a" is not "b"/);
  assert.throws(() => readToken(" \n", "/run/token"), /\/run\/token is empty: it must hold the token/);
});
