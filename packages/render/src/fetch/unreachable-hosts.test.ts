import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { CapstanError, isCapstanError } from "@capstan/model";
import { failsWith, realClock, StandingClock, startWorld } from "@capstan/testkit/render-world";
import { UnreachableHosts } from "./unreachable-hosts.ts";

const down = () =>
  new CapstanError({
    code: "REPOSITORY_UNREACHABLE",
    repository: "https://git.example/a",
    problem: "Failed to connect to git.example port 443",
  });

async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("a silent host is asked by one at a time, after growing pauses, and who waits is told since when and until when", async () => {
  const clock = new StandingClock();
  const hosts = new UnreachableHosts(clock);
  let tries = 0;
  const ask = (url: string) =>
    failureOf(
      hosts.ask({ url }, async () => {
        tries += 1;
        throw down();
      }),
    );
  await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`https://git.example/${index}`)));
  assert.equal(tries, 20, "that it is silent is not known yet");
  const told = await ask("https://git.example/other");
  assert.equal(tries, 20);
  assert.ok(isCapstanError(told, "REPOSITORY_UNREACHABLE"));
  assert.match(
    told.message,
    /git\.example has not answered since 2026-01-01T00:00:00Z \(Failed to connect\).*tried again after 2026-01-01T00:00:01Z/,
  );
  const pauses: number[] = [];
  for (let round = 0; round < 8; round++) {
    let waited = 0;
    const asked: number = tries;
    for (; tries === asked; waited += 1) {
      clock.pass(1000);
      await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`https://git.example/${index}`)));
    }
    pauses.push(waited);
  }
  assert.equal(tries, 28, "one try a pause, whoever asks");
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
  assert.equal(await hosts.ask({ url: "https://other.example/a" }, async () => "answer"), "answer");
  const proxied = { url: "https://git.example/a", proxy: "http://proxy.example" };
  assert.equal(await hosts.ask(proxied, async () => "answer"), "answer", "another way");
  clock.pass(60_000);
  assert.equal(await hosts.ask({ url: "https://git.example/a" }, async () => "answer"), "answer");
  assert.equal(await hosts.ask({ url: "https://git.example/b" }, async () => "answer"), "answer");
});

test("what one repository does wrong silences no host: neither a refusal nor an answer that is late", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const hosts = new UnreachableHosts(realClock);
  for (const problem of [
    "no answer within 15 s",
    "The requested URL returned error: 503",
    "HTTP status 502",
    "Connection reset by peer",
  ]) {
    const failure = new CapstanError({ code: "REPOSITORY_UNREACHABLE", repository: `${base}/slow`, problem });
    await failureOf(hosts.ask({ url: `${base}/slow` }, () => Promise.reject(failure)));
    assert.equal(await hosts.ask({ url: `${base}/other` }, async () => problem), problem);
  }
  server.close();
  await once(server, "close");
  const late = new CapstanError({ code: "TIMED_OUT", what: "git", afterMs: 1 });
  await failureOf(hosts.ask({ url: `${base}/slow` }, () => Promise.reject(late)));
  const told = await failureOf(hosts.ask({ url: `${base}/other` }, async () => "answer"));
  assert.match(String(told), /has not answered since .* \(no connection\)/);
});

test("git and charts of one host that is down: its repositories are told without being asked", async () => {
  await using world = await startWorld();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  server.close();
  await once(server, "close");
  const ask = (name: string) =>
    world.render({ path: ".", repoURL: `${base}/${name}` }, { repository: { url: `${base}/${name}` } });
  await assert.rejects(ask("first"), failsWith({ code: "REPOSITORY_UNREACHABLE" }));
  await assert.rejects(
    ask("second"),
    failsWith({ code: "REPOSITORY_UNREACHABLE", repository: `${base}/second` }, /has not answered since/),
  );
  await assert.rejects(
    world.render(
      { chart: "web", repoURL: base, targetRevision: "1.0.0" },
      { repository: { url: base, type: "helm" } },
    ),
    failsWith({ code: "REPOSITORY_UNREACHABLE" }, /has not answered since/),
  );
});
