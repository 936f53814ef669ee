import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Repository } from "@capstan/model";
import { before, startGitServer, startLoopbackServer } from "@capstan/testkit";
import {
  configMap,
  noSignal,
  recordingGit,
  StandingClock,
  startWorld,
  TempFolder,
} from "@capstan/testkit/render-world";
import { writePacket } from "./git-packets.ts";

const asked = "POST /apps.git/git-upload-pack";

/** A server with a repository, and a repo server whose git writes down what it is called for. */
async function openScene(
  options: Parameters<typeof startGitServer>[0] = {},
  more: Parameters<typeof startWorld>[0] = {},
) {
  const opened = new AsyncDisposableStack();
  const server = opened.use(await startGitServer(options));
  const git = await server.createRepository("apps", { "app/a.yaml": configMap("a"), "other/b.txt": "b" });
  const { path, calls } = recordingGit(opened.use(new TempFolder()).path);
  const world = opened.use(await startWorld({ env: { PATH: path }, ...more }));
  return {
    ...{ server, git, world },
    /** How often git was asked to fetch. */
    fetches: () => calls().filter((call) => /(^| )fetch /.test(call)).length,
    /** The name of what is rendered, from the repository or from another address of it. */
    async render(targetRevision = "main", given: Repository = git) {
      const repository = "git" in given ? { url: given.url } : given;
      const { url: repoURL } = repository;
      world.server.forgetRevisions(repoURL);
      const { manifests } = await world.render({ path: "app", repoURL, targetRevision }, { repository });
      return manifests.map(({ manifest }) => manifest.metadata.name).join();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function copyOf(dataDir: string): string {
  const [name, ...others] = readdirSync(join(dataDir, "repos"));
  assert.ok(name && others.length === 0);
  return join(dataDir, "repos", name);
}

/** What git says of all that refs name in the copy. */
function checked(dataDir: string): string {
  return execFileSync("git", ["-C", copyOf(dataDir), "fsck", "--full"], { encoding: "utf8", stdio: "pipe" });
}

test("a commit beside others is fetched by one request, without git's fetch", async () => {
  await using scene = await openScene();
  assert.deepEqual([await scene.render(), scene.fetches()], ["a", 1]);
  for (const name of ["b", "c"]) {
    const revision = await scene.git.commit({ "app/a.yaml": configMap(name) });
    const before = scene.server.requests.length;
    assert.deepEqual([await scene.render(revision), scene.fetches()], [name, 1]);
    assert.deepEqual(scene.server.requests.slice(before), [asked]);
  }
  assert.equal(checked(scene.world.dataDir), "");
  const count = ["-C", copyOf(scene.world.dataDir), "rev-list", "--count", "--all"];
  assert.equal(execFileSync("git", count, { encoding: "utf8" }).trim(), "3");
});

test("with the repository's own login and authority", async () => {
  const credentials = { username: "ann", password: "s3cret" };
  await using scene = await openScene({ credentials, tls: true });
  const { url } = scene.git;
  const repository = { url, ...credentials, tlsAuthorities: scene.server.certificateAuthority };
  await scene.render("main", repository);
  await scene.git.commit({ "app/a.yaml": configMap("b") });
  assert.deepEqual([await scene.render("main", repository), scene.fetches()], ["b", 1]);
});

for (const partial of [false, true])
  test(`whatever is wanted next, all of it comes${partial ? "; from a server that offers partial clones" : ""}`, async () => {
    await using scene = await openScene();
    const { git, render } = scene;
    if (partial) await git.git("config", "uploadpack.allowFilter", "true");
    await git.commit({ "app/a.yaml": configMap("x"), "other/large.bin": randomBytes(2 ** 21) });
    await git.commit({ "app/a.yaml": configMap("b") });
    assert.equal(await render(), "b");
    const begun = scene.fetches();
    const back = await git.commit({ "app/a.yaml": configMap("x") });
    assert.equal(await render(), "x", "what was there before the border comes again");
    const parent = await git.git("rev-parse", "HEAD~2");
    assert.equal(await render(parent), "x", "one from before the border");
    await git.git("checkout", "-q", "-b", "side", back);
    await git.commit({ "app/c.yaml": configMap("c") });
    await git.git("checkout", "-q", "main");
    await git.commit({ "other/d.txt": "d" });
    await git.git("merge", "-q", "--no-edit", "side");
    assert.equal(await render(), "x,c", "a merge");
    assert.equal(await render(await git.git("rev-parse", "HEAD^1")), "x", "a commit of the border itself");
    assert.equal(await render("side"), "x,c");
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`many/${at}/a.txt`, `${at}`]));
    await git.commit({ ...many, "app/c.yaml": configMap("many") });
    assert.equal(await render(), "x,many", "more than become files of their own");
    assert.equal(scene.fetches(), begun);
    if (!partial) assert.equal(checked(scene.world.dataDir), "");
    await git.commit({ "app/c.yaml": configMap("large"), "other/large.bin": randomBytes(6 * 2 ** 20) });
    assert.equal(await render(), "x,large");
    assert.equal(scene.fetches(), partial ? begun : begun + 1, "of more than is taken into memory git asks");
  });

type Change = (answer: Buffer) => Buffer | Promise<Buffer>;

async function startBetween(target: string, change: Change) {
  let changed = 0;
  const server = await startLoopbackServer(
    before(target, async (response, { status, type, body }) => {
      changed += 1;
      response.writeHead(status, { "content-type": type }).end(await change(body));
    }),
  );
  return { ...server, changed: () => changed };
}

/** What a pack of the commit alone is, without its trees: one that leads to what is not there. */
function packWithout(dir: string, revision: string): Buffer {
  const git = (args: string[], input = "") => execFileSync("git", ["-C", dir, ...args], { input });
  const id = git(["rev-parse", revision]).toString();
  const pack = git(["pack-objects", "--stdout", "-q"], id);
  const band = Buffer.concat([Buffer.from([1]), pack]);
  const length = (band.length + 4).toString(16).padStart(4, "0");
  return Buffer.concat([Buffer.from(`${writePacket("packfile\n")}${length}`), band, Buffer.from("0000")]);
}

for (const [what, change] of Object.entries<(answer: Buffer, dir: string) => Buffer>({
  "cut off": (answer) => answer.subarray(0, answer.length - 30),
  "with a byte of the pack changed": (answer) => {
    const copy = Buffer.from(answer);
    const at = copy.length - 30;
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  },
  "a commit without its files": (_, dir) => packWithout(dir, "HEAD"),
  "another commit": (_, dir) => packWithout(dir, "HEAD~1"),
  "a page": () => Buffer.from("<html>"),
  nothing: () => Buffer.alloc(0),
  "an error of the server": () =>
    Buffer.from(`${writePacket("packfile\n")}${writePacket("\u0003out of order\n")}0000`),
  "the first version's error": () => Buffer.from(writePacket("ERR upload-pack: expected a want")),
  "a border that is none": () =>
    Buffer.from(
      `${writePacket("shallow-info\n")}${writePacket("shallow ../../HEAD\n")}0001${writePacket("packfile\n")}0000`,
    ),
}))
  test(`an answer is not what git's server gives, ${what}: git is asked, and alone for a while`, async () => {
    const clock = new StandingClock();
    await using scene = await openScene({}, { clock });
    const { git } = scene;
    await using between = await startBetween(scene.server.url, (answer) => change(answer, git.dir));
    const repository = { url: `${between.url}/apps.git` };
    assert.equal(await scene.render("main", repository), "a");
    for (const name of ["b", "c"]) {
      await git.commit({ "app/a.yaml": configMap(name) });
      assert.equal(await scene.render("main", repository), name);
    }
    assert.deepEqual([scene.fetches(), between.changed()], [3, 1]);
    assert.equal(checked(scene.world.dataDir), "");
    clock.pass(600_000);
    await git.commit({ "app/a.yaml": configMap("d") });
    assert.equal(await scene.render("main", repository), "d");
    assert.equal(between.changed(), 2);
  });

test("who leaves takes a fetch from nobody who waits for the same", async () => {
  await using scene = await openScene();
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await using between = await startBetween(scene.server.url, async (answer) => {
    arrived.resolve();
    await released.promise;
    return answer;
  });
  const url = `${between.url}/apps.git`;
  await scene.render("main", { url });
  const revision = await scene.git.commit({ "app/a.yaml": configMap("b") });
  const request = scene.world.request({ path: "app", repoURL: url }, { repository: { url } });
  const leaving = new AbortController();
  const fetch = (signal: AbortSignal) => scene.world.server.fetchRevision({ ...request, revision }, signal);
  const first = fetch(leaving.signal);
  await arrived.promise;
  const second = fetch(noSignal);
  leaving.abort(new Error("it leaves"));
  await assert.rejects(first, /it leaves/);
  released.resolve();
  await second;
  assert.deepEqual([scene.fetches(), between.changed()], [1, 1]);
});

test("a border that was written before its commits came does no harm", async () => {
  await using scene = await openScene();
  await scene.render();
  const revision = await scene.git.commit({ "app/a.yaml": configMap("b") });
  const border = join(copyOf(scene.world.dataDir), "shallow");
  writeFileSync(border, `${existsSync(border) ? readFileSync(border, "utf8") : ""}${revision}\n`);
  await scene.git.commit({ "app/a.yaml": configMap("c") });
  assert.equal(await scene.render(), "c");
  assert.equal(await scene.render(revision), "b");
  assert.deepEqual([scene.fetches(), checked(scene.world.dataDir)], [1, ""]);
});
