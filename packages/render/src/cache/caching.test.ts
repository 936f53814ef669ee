import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CapstanError } from "@capstan/model";
import { inProcessPlugin } from "@capstan/plugin-kit";
import {
  configMap,
  failsWith,
  noSignal,
  realClock,
  StandingClock,
  startWorld,
  TestRepository,
} from "@capstan/testkit/render-world";
import { FailureCache } from "./failure-cache.ts";

const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };

test("a failure is kept twice as long each time, and told with its end", () => {
  const clock = new StandingClock();
  const cache = new FailureCache(clock);
  const failure = new CapstanError({ code: "TIMED_OUT", what: "helm", afterMs: 10 });
  const keptMs: number[] = [];
  for (let round = 0; round < 8; round++) {
    cache.throwIfKept("key");
    cache.keep("key", failure);
    assert.throws(
      () => cache.throwIfKept("key"),
      failsWith({ code: "TIMED_OUT" }, /cached failure; tried again after 2026-/),
    );
    let ms = 0;
    for (; ms < 1_000_000 && isKept(cache); ms += 1000) clock.pass(1000);
    keptMs.push(ms);
  }
  assert.deepEqual(
    keptMs,
    [5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * 1000),
  );
  cache.forget("key");
  cache.keep("key", failure);
  clock.pass(5000);
  cache.throwIfKept("key");
});

function isKept(cache: FailureCache): boolean {
  try {
    cache.throwIfKept("key");
    return false;
  } catch {
    return true;
  }
}

test("a failure of one repository is not told of another with the same files", async () => {
  const asked: string[] = [];
  const failing = inProcessPlugin({
    name: "failing",
    discover: { fileName: "fail.txt" },
    inputs: async ({ path }) => ({ paths: [path], refs: {}, facts: {} }),
    async generate({ source }) {
      asked.push(source.repoURL);
      throw new CapstanError({ code: "FAILED_PRECONDITION", what: source.repoURL, problem: "it fails" });
    },
  });
  await using world = await startWorld({ plugins: [failing] });
  world.repository.commit({ "app/fail.txt": "" });
  const other = new TestRepository(world.folder, "other");
  other.commit({ "app/fail.txt": "" });
  for (const repoURL of [world.repository.url, other.url, other.url])
    await assert.rejects(
      world.render({ path: "app", repoURL }, { repository: { url: repoURL } }),
      failsWith({ code: "FAILED_PRECONDITION", what: repoURL }),
    );
  assert.deepEqual(asked, [world.repository.url, other.url], "the third is told again");
});

test("identical renders asked for at the same time run once", async () => {
  let runs = 0;
  const slow = inProcessPlugin({
    name: "slow",
    discover: { fileName: "slow.txt" },
    async generate(_context, { signal }) {
      runs++;
      await realClock.sleep(20, signal);
      return { manifests: [{ manifest }], commands: [] };
    },
  });
  await using world = await startWorld({ plugins: [slow] });
  world.repository.commit({ "app/slow.txt": "" });
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.render({ path: "app" })));
  assert.deepEqual(
    new Set(answers.map(({ plugin, sourceType }) => `${plugin} ${sourceType}`)),
    new Set(["slow Plugin"]),
  );
  assert.equal(runs, 1);
});

test("a render that nobody waits for is ended", async () => {
  const ended = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const endless = inProcessPlugin({
    name: "endless",
    async generate(_context, { signal }) {
      started.resolve();
      await new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      ).finally(ended.resolve);
      return { manifests: [], commands: [] };
    },
  });
  await using world = await startWorld({ plugins: [endless] });
  world.repository.commit({ "app/x": "" });
  const leaving = new AbortController();
  const render = world.server.generateManifests(
    world.request({ path: "app", plugin: { name: "endless" } }),
    leaving.signal,
  );
  await started.promise;
  leaving.abort(new Error("gone"));
  await assert.rejects(render, /gone/);
  await ended.promise;
});

test("too long a queue is refused rather than kept waiting", async () => {
  const gate = Promise.withResolvers<void>();
  const waits = inProcessPlugin({
    name: "waits",
    async generate() {
      await gate.promise;
      return { manifests: [], commands: [] };
    },
  });
  await using world = await startWorld({
    plugins: [waits],
    concurrency: 1,
    limits: { maxWaitingRenders: 1 },
  });
  world.repository.commit({ "a/x": "a", "b/x": "b", "c/x": "c" });
  const render = (path: string) => world.render({ path, plugin: { name: "waits" } });
  const results = ["a", "b", "c"].map((path) =>
    render(path).then(
      () => "done",
      (error: CapstanError) => error.code,
    ),
  );
  assert.equal(await Promise.race(results), "QUEUE_FULL");
  gate.resolve();
  assert.deepEqual((await Promise.all(results)).sort(), ["QUEUE_FULL", "done", "done"]);
});

test("what a slow tool gave survives a restart; a damaged file and a sensitive plugin's output do not", async () => {
  let runs = 0;
  const generate = async () => {
    runs++;
    await realClock.sleep(30, noSignal);
    return { manifests: [{ manifest }], commands: ["slow"] };
  };
  const plugins = [
    inProcessPlugin({ name: "open", generate }),
    inProcessPlugin({ name: "secret", sensitive: true, generate }),
  ];
  await using first = await startWorld({ plugins });
  first.repository.commit({ "app/x": "" });
  const { url } = first.repository;
  const source = (name: string) => ({ path: "app", repoURL: url, plugin: { name } });
  await first.render(source("open"));
  await first.render(source("secret"));
  const cacheDir = join(first.dataDir, "cache");
  // It is written beside what is answered.
  while (readdirSync(cacheDir).some((name) => name.endsWith(".new")) || readdirSync(cacheDir).length === 0)
    await realClock.sleep(5, noSignal);
  assert.equal(readdirSync(cacheDir).length, 1);
  await using second = await startWorld({ plugins, dataDir: first.dataDir });
  const kept = await second.render(source("open"), { repository: { url } });
  assert.deepEqual(
    [kept.cache, kept.commands, kept.manifests[0]?.manifest, runs],
    ["hit", ["slow"], manifest, 2],
  );
  const [file] = readdirSync(cacheDir);
  assert.ok(file);
  writeFileSync(join(cacheDir, file), readFileSync(join(cacheDir, file), "utf8").replace('"x"', '"y"'));
  await using third = await startWorld({ plugins, dataDir: first.dataDir });
  const again = await third.render(source("open"), { repository: { url } });
  assert.deepEqual([again.cache, again.manifests[0]?.manifest, runs], ["miss", manifest, 3]);
});

test("what holds a Secret, or text of one, is kept in memory only; files of former versions are removed", async () => {
  const value = "c2VjcmV0LXZhbHVl";
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { value } };
  const carriers = {
    plain: secret,
    wrapped: { ...manifest, spec: { forProvider: { manifest: secret } } },
    listed: { ...manifest, items: [secret] },
    text: { ...manifest, data: { template: `apiVersion: v1\nkind: Secret\ndata:\n  value: ${value}\n` } },
    applied: { ...manifest, metadata: { name: "x", annotations: { last: JSON.stringify(secret) } } },
  };
  const plugins = Object.entries(carriers).map(([name, carrier]) =>
    inProcessPlugin({
      name,
      async generate() {
        await realClock.sleep(30, noSignal);
        return { manifests: [{ manifest: carrier }], commands: [] };
      },
    }),
  );
  await using world = await startWorld({ plugins });
  world.repository.commit({ "app/x": "" });
  const cacheDir = join(world.dataDir, "cache");
  for (const name of Object.keys(carriers)) {
    const source = { path: "app", plugin: { name } };
    assert.equal((await world.render(source)).cache, "miss");
    assert.equal((await world.render(source)).cache, "hit", name);
  }
  assert.deepEqual(readdirSync(cacheDir), []);
  writeFileSync(join(cacheDir, "a".repeat(64)), value);
  await using again = await startWorld({ plugins, dataDir: world.dataDir });
  again.repository.commit({ "app/x": "" });
  await again.render({ path: "app", plugin: { name: "plain" } });
  assert.deepEqual(readdirSync(cacheDir), []);
});

test("a hard refresh renders again and asks the remote again", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await world.render({ path: "app" });
  const second = world.repository.commit({ other: "x" });
  const fresh = await world.render({ path: "app" }, { noCache: true, noRevisionCache: true });
  assert.deepEqual([fresh.revision, fresh.cache, world.log.renders], [second, "miss", 2]);
});
