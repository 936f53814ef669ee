import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import type { Repository } from "@capstan/model";
import { type GitServer, startGitServer } from "@capstan/testkit";
import {
  configMap,
  gitEnv,
  noSignal,
  realClock,
  recordingGit,
  StandingClock,
  startWorld,
  TempFolder,
} from "@capstan/testkit/render-world";
import { askRefs, readAdvertisement } from "./advertised-refs.ts";
import { flush, writePacket } from "./git-packets.ts";
import { createGitProgram } from "./git-program.ts";
import { HttpGit } from "./http-git.ts";
import { readRemoteRefs } from "./remote-refs.ts";

const tokens = { complete: async (repository: Repository) => repository };
const limits = { signal: noSignal, timeoutMs: 20_000 };

interface Machine {
  env?: Record<string, string>;
  config?: string;
  clock?: Clock;
}

async function openAsker({ env = {}, config, clock = realClock }: Machine = {}) {
  const folder = new TempFolder();
  const options = { dataDir: folder.path, clock };
  if (config !== undefined) writeFileSync(join(folder.path, "gitconfig"), config);
  const git = await createGitProgram({ ...options, env: { ...gitEnv, ...env } });
  const http = new HttpGit({ ...options, git, tokens });
  return {
    git,
    ask: (repository: Repository, url = repository.url) =>
      askRefs(http, url, { repository, clock, ...limits }),
    cwd: folder.path,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function taggedRepository(server: GitServer) {
  const repository = await server.createRepository("apps", { "app/a.yaml": configMap("a") });
  await repository.git("tag", "-a", "v1", "-m", "annotated");
  await repository.git("tag", "-a", "v1-again", "v1", "-m", "of a tag");
  await repository.git("tag", "plain");
  await repository.git("branch", "über/grün");
  return repository;
}

test("what a remote has is what git says of it", async () => {
  await using server = await startGitServer();
  using asker = await openAsker();
  const { url } = await taggedRepository(server);
  const listed = await asker.git.run(["ls-remote", "--quiet", "--", url], { cwd: asker.cwd, ...limits });
  const refs = await asker.ask({ url });
  assert.deepEqual(refs, readRemoteRefs(listed.stdout.toString()));
  assert.ok(refs?.commits.has("HEAD") && refs.commits.has("refs/heads/über/grün"));
  assert.deepEqual([...refs.tags.keys()], ["refs/tags/v1", "refs/tags/v1-again"]);
  assert.deepEqual(await asker.ask({ url: `${url}/` }), refs);
});

test("with the repository's own login and authority; of a wrong one git says what is wrong", async () => {
  const credentials = { username: "ann", password: "s3cret" };
  await using server = await startGitServer({ credentials, tls: true });
  using asker = await openAsker();
  const { url } = await taggedRepository(server);
  const tlsAuthorities = server.certificateAuthority;
  assert.ok(await asker.ask({ url, ...credentials, tlsAuthorities }));
  assert.ok(await asker.ask({ url, ...credentials, insecure: true }));
  for (const wrong of [
    { ...credentials },
    { tlsAuthorities },
    { ...credentials, password: "no", tlsAuthorities },
    { bearerToken: "no", tlsAuthorities },
  ]) {
    using other = await openAsker();
    assert.equal(await other.ask({ url, ...wrong }), undefined, JSON.stringify(wrong));
  }
});

test("what was not answered so is asked of git alone for a while", async () => {
  await using server = await startGitServer();
  const clock = new StandingClock();
  using asker = await openAsker({ clock });
  const url = `${server.url}/apps.git`;
  const asked = async () => [(await asker.ask({ url }))?.commits.size, server.requests.length];
  assert.deepEqual(await asked(), [undefined, 1]);
  await taggedRepository(server);
  assert.deepEqual(await asked(), [undefined, 1]);
  clock.pass(600_000);
  assert.deepEqual(await asked(), [6, 2]);
});

test("git is asked where this machine tells it to go another way", async () => {
  await using server = await startGitServer();
  const { url } = await taggedRepository(server);
  const { host } = new URL(url);
  for (const given of [
    { env: { https_proxy: "http://proxy:3128" } },
    { env: { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.proxy", GIT_CONFIG_VALUE_0: "http://proxy" } },
    { config: `[url "http://mirror/"]\n\tinsteadOf = http://${host}/\n` },
    { config: "[http]\n\textraHeader = X: y\n" },
  ]) {
    using asker = await openAsker(given);
    assert.equal(await asker.ask({ url }), undefined, JSON.stringify(given));
  }
  const trusting = { env: { GIT_SSL_CAINFO: "/etc/ca.pem" } };
  await using secured = await startGitServer({ tls: true });
  const { url: https } = await taggedRepository(secured);
  for (const [given, isAsked] of [
    [{}, true],
    [trusting, false],
  ] as const) {
    using asker = await openAsker(given);
    assert.equal((await asker.ask({ url: https, insecure: true })) !== undefined, isAsked);
    assert.ok(await asker.ask({ url }), "certificates are of HTTPS");
  }
  using asker = await openAsker({ config: "[user]\n\tname = Ann\n[safe]\n\tdirectory = *\n" });
  assert.ok(await asker.ask({ url }));
  assert.equal(await asker.ask({ url: url.replace("//", "//ann@") }), undefined, "a user in the address");
});

test("settings of git that are changed count after a minute", async () => {
  await using server = await startGitServer();
  const { url } = await taggedRepository(server);
  const clock = new StandingClock();
  using asker = await openAsker({ clock, config: "" });
  assert.ok(await asker.ask({ url }));
  writeFileSync(join(asker.cwd, "gitconfig"), "[http]\n\tproxy = http://proxy\n");
  clock.pass(60_000);
  assert.equal(await asker.ask({ url }), undefined);
});

test("applications of a repository over HTTP start no git to know what it has", async () => {
  await using server = await startGitServer();
  const { url } = await taggedRepository(server);
  using folder = new TempFolder();
  const { path, calls } = recordingGit(folder.path);
  await using world = await startWorld({ env: { PATH: path } });
  const render = async (repoURL: string) => {
    const { manifests } = await world.render({ repoURL, path: "app" }, { repository: { url: repoURL } });
    return manifests[0]?.manifest.metadata.name;
  };
  const lists = () => calls().filter((call) => / ls-remote /.test(call)).length;
  assert.deepEqual([await render(url), lists()], ["a", 0]);
  await assert.rejects(render(url.replace("apps", "none")));
  assert.equal(lists(), 1, "git says what is wrong");
});

const announced = writePacket("# service=git-upload-pack\n") + flush;
const [one, two] = ["1".repeat(40), "2".repeat(40)];

test("an answer counts whole and as the protocol has it", () => {
  const read = (text: string) => readAdvertisement(Buffer.from(text));
  const first = writePacket(`${one} HEAD\0multi_ack agent=git/2\n`);
  const good = read(`${announced}${first}${writePacket(`${two} refs/heads/main\n`)}${flush}`);
  assert.deepEqual(Object.fromEntries(good?.commits ?? []), { HEAD: one, "refs/heads/main": two });
  const none = read(`${announced}${writePacket(`${"0".repeat(40)} capabilities^{}\0agent=git/2\n`)}${flush}`);
  assert.equal(none?.commits.size, 0);
  const shallow = read(`${announced}${first}${writePacket(`shallow ${two}\n`)}${flush}`);
  assert.deepEqual([...(shallow?.commits.keys() ?? [])], ["HEAD"]);
  for (const [what, text] of Object.entries({
    nothing: "",
    "a page": "<html>",
    "no flush": `${announced}${first}`,
    "cut off": `${announced}${first}00ff${two} refs/heads/main`,
    "another service": `${writePacket("# service=git-receive-pack\n")}${flush}${first}${flush}`,
    "the second version": `${announced}${writePacket("version 2\n")}${writePacket("ls-refs\n")}${flush}`,
    "an error": `${announced}${writePacket("ERR no such repository\n")}${flush}`,
    "other ids": `${announced}${writePacket(`${one} HEAD\0object-format=sha256\n`)}${flush}`,
    "a line within a name": `${announced}${first}${writePacket(`${two} refs/heads/a\n${one}\trefs/heads/main\n`)}${flush}`,
    "a length of nothing": `${announced}0003${first}${flush}`,
    "more behind it": `${announced}${first}${flush}${first}${flush}`,
  }))
    assert.equal(read(text), undefined, what);
});
