import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGitServer } from "@capstan/testkit";
import { configMap, failsWith, noSignal, recordingGit, startWorld } from "@capstan/testkit/render-world";

test("branches, tags, HEAD, commits, shortened commits and version constraints are resolved", async () => {
  await using world = await startWorld();
  const { repository, server } = world;
  const first = repository.commit({ "a.yaml": configMap("a") });
  repository.git("tag", "-a", "v1.0.0", "-m", "annotated");
  repository.git("tag", "app-2.0.0");
  const second = repository.commit({ "a.yaml": configMap("b") });
  repository.git("tag", "v1.1.0");
  repository.git("tag", "v2.0.0-rc.1");
  repository.git("branch", "release/x", first);
  const resolve = async (targetRevision: string, tagPrefix?: string) => {
    const source = { targetRevision, ...(tagPrefix === undefined ? {} : { tagPrefix }) };
    return (await server.resolveRevision(world.request(source), noSignal)).revision;
  };
  assert.equal(await resolve("main"), second);
  assert.equal(await resolve(""), second);
  assert.equal(await resolve("HEAD"), second);
  assert.equal(await resolve("release/x"), first);
  assert.equal(await resolve("refs/heads/release/x"), first);
  assert.equal(await resolve("v1.0.0"), first, "an annotated tag stands for its commit");
  assert.equal(await resolve("1.x"), second);
  assert.equal(await resolve("~1.0"), first);
  assert.equal(await resolve(">=1.0.0-0"), second, "the pre-release is the highest");
  assert.equal(await resolve("2.x", "app-"), first);
  assert.equal(await resolve(first), first);
  assert.equal(await resolve(first.slice(0, 8)), first);
  await assert.rejects(
    resolve("9.x"),
    failsWith({ code: "VERSION_MISSING", constraint: "9.x" }, /available versions: /),
  );
  const { ambiguous } = await server.resolveRevision(world.request({}), noSignal);
  assert.equal(ambiguous, `main (${second})`);
  assert.deepEqual(await server.listRefs({ repository: { url: repository.url } }, noSignal), {
    branches: ["main", "release/x"],
    tags: ["app-2.0.0", "v1.0.0", "v1.1.0", "v2.0.0-rc.1"],
  });
});

test("what a name stands for is told of tags alone, which should stand for the same for ever", async () => {
  await using world = await startWorld();
  const sha = world.repository.commit({ "a.yaml": configMap("a") });
  world.repository.git("tag", "v1.0.0");
  world.repository.git("tag", "team/v1");
  const meaning = async (targetRevision: string) =>
    (await world.server.resolveRevision(world.request({ targetRevision }), noSignal)).meaning;
  for (const tag of ["v1.0.0", "refs/tags/v1.0.0", "team/v1"]) assert.equal(await meaning(tag), sha, tag);
  for (const other of ["main", "HEAD", "", "1.x", sha]) assert.equal(await meaning(other), undefined, other);
});

test("a commit's author, date, message and tags are told", async () => {
  await using world = await startWorld();
  world.repository.commit({ "a.yaml": configMap("a") }, "Add a\n\nWith a reason");
  world.repository.git("tag", "v1");
  assert.deepEqual(await world.server.revisionMetadata(world.request({}), noSignal), {
    author: "Ada <ada@example.com>",
    date: "2026-01-02T03:04:05Z",
    message: "Add a\n\nWith a reason",
    tags: ["v1"],
  });
});

test("an old commit is rendered after the branch was overwritten", async () => {
  await using world = await startWorld();
  const old = world.repository.commit({ "app/a.yaml": configMap("old") });
  await world.render({ path: "app" });
  world.repository.git("commit", "--quiet", "--amend", "-m", "Rewritten");
  world.repository.commit({ "app/a.yaml": configMap("new") });
  world.server.forgetRevisions(world.repository.url);
  assert.equal((await world.render({ path: "app" })).manifests[0]?.manifest.metadata.name, "new");
  assert.equal(
    (await world.render({ path: "app", targetRevision: old })).manifests[0]?.manifest.metadata.name,
    "old",
  );
});

for (const place of ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "data folder"] as const)
  test(`a url.<base>.insteadOf setting is honoured from ${place}`, async () => {
    const folder: { path?: string } = {};
    await using plain = await startWorld();
    folder.path = plain.folder;
    plain.repository.commit({ "app/a.yaml": configMap("a") });
    const config = join(plain.folder, "gitconfig");
    writeFileSync(config, `[url "file://${plain.folder}/"]\n\tinsteadOf = https://git.example.com/team/\n`);
    const env: Record<string, string | undefined> = { PATH: process.env.PATH };
    if (place === "GIT_CONFIG_GLOBAL") env.GIT_CONFIG_GLOBAL = config;
    if (place === "GIT_CONFIG_COUNT") {
      env.GIT_CONFIG_COUNT = "1";
      env.GIT_CONFIG_KEY_0 = `url.file://${plain.folder}/.insteadOf`;
      env.GIT_CONFIG_VALUE_0 = "https://git.example.com/team/";
    }
    const dataDir = join(plain.folder, "other-data");
    mkdirSync(dataDir);
    if (place === "data folder") writeFileSync(join(dataDir, "gitconfig"), readFileSync(config));
    await using world = await startWorld({ dataDir, env });
    const url = "https://git.example.com/team/repository";
    const answer = await world.render({ path: "app", repoURL: url }, { repository: { url } });
    assert.equal(answer.manifests.length, 1);
  });

test("what a killed git left behind stops nothing", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await world.render({ path: "app" });
  await world.server[Symbol.asyncDispose]();
  const bare = onlyRepository(world.dataDir);
  for (const name of [
    "shallow.lock",
    "packed-refs.lock",
    "config.lock",
    "objects/pack/tmp_pack_x1",
    "refs/capstan/x.lock",
  ]) {
    mkdirSync(join(bare, name, ".."), { recursive: true });
    writeFileSync(join(bare, name), "");
  }
  await using again = await startWorld({ dataDir: world.dataDir });
  world.repository.commit({ "app/a.yaml": configMap("b") });
  const { url } = world.repository;
  const answer = await again.render({ path: "app", repoURL: url }, { repository: { url } });
  assert.equal(answer.manifests[0]?.manifest.metadata.name, "b");
});

test("a lock left in the middle of a process's life, and a copy that is broken, are repaired at the next fetch", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  await world.render({ path: "app" });
  const bare = onlyRepository(world.dataDir);
  for (const [name, damage] of [
    ["locked", () => writeFileSync(join(bare, "shallow.lock"), "")],
    ["broken", () => writeFileSync(join(bare, "HEAD"), "")],
  ] as const) {
    damage();
    world.repository.commit({ "app/a.yaml": configMap(name) });
    world.server.forgetRevisions(world.repository.url);
    assert.equal((await world.render({ path: "app" })).manifests[0]?.manifest.metadata.name, name);
  }
  assert.equal(world.log.lines.filter(({ message }) => /is repaired/.test(message)).length, 2);
});

test("a copy that lost objects is fetched anew", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a"), "other/b.yaml": configMap("b") });
  await world.render({ path: "app" });
  await world.server[Symbol.asyncDispose]();
  const objects = join(onlyRepository(world.dataDir), "objects");
  for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true, force: true });
  mkdirSync(join(objects, "pack"));
  await using again = await startWorld({ dataDir: world.dataDir });
  const { url } = world.repository;
  const answer = await again.render({ path: "other", repoURL: url }, { repository: { url } });
  assert.equal(answer.manifests[0]?.manifest.metadata.name, "b");
});

test("a copy that lost objects is fetched once for all who miss them", async () => {
  await using plain = await startWorld();
  const folders = Array.from({ length: 30 }, (_, at) => `app-${at}`);
  plain.repository.commit(Object.fromEntries(folders.map((name) => [`${name}/a.yaml`, configMap(name)])));
  const { path, calls } = recordingGit(plain.folder);
  await using world = await startWorld({ env: { PATH: path } });
  const { url } = plain.repository;
  const source = { repoURL: url, targetRevision: plain.repository.git("rev-parse", "HEAD") };
  const render = (name: string) => world.render({ ...source, path: name }, { repository: { url } });
  await render("app-0");
  const objects = join(onlyRepository(world.dataDir), "objects");
  for (const name of readdirSync(objects)) rmSync(join(objects, name), { recursive: true, force: true });
  mkdirSync(join(objects, "pack"));
  const fetches = () => calls().filter((command) => /^fetch /.test(command)).length;
  const before = fetches();
  const answers = await Promise.all(folders.slice(1).map(render));
  assert.equal(answers.length, folders.length - 1);
  assert.equal(fetches(), before + 1);
});

test("a hundred applications of one repository ask its remote once and fetch its commit once", async () => {
  await using plain = await startWorld();
  plain.repository.commit(
    Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`app-${i}/a.yaml`, configMap(`c-${i}`)])),
  );
  const { path, calls } = recordingGit(plain.folder);
  await using world = await startWorld({ env: { PATH: path } });
  const { url } = plain.repository;
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      world.render({ path: `app-${i}`, repoURL: url }, { repository: { url } }),
    ),
  );
  assert.deepEqual(
    answers.map(({ manifests }) => manifests[0]?.manifest.metadata.name),
    Array.from({ length: 100 }, (_, i) => `c-${i}`),
  );
  const commands = calls();
  assert.equal(commands.filter((command) => / ls-remote /.test(command)).length, 1);
  assert.equal(commands.filter((command) => /^fetch /.test(command)).length, 1);
});

test("a commit that was fetched before it is asked for is not fetched again", async () => {
  await using plain = await startWorld();
  plain.repository.commit({ "app/a.yaml": configMap("a") });
  const { path, calls } = recordingGit(plain.folder);
  await using world = await startWorld({ env: { PATH: path } });
  const { url } = plain.repository;
  const request = (source: object) =>
    world.request({ repoURL: url, path: "app", ...source }, { repository: { url } });
  await world.server.generateManifests(request({}), noSignal);
  const revision = plain.repository.commit({ "app/a.yaml": configMap("b") });
  await world.server.fetchRevision({ ...request({}), revision }, noSignal);
  const fetches = () => calls().filter((command) => /^fetch /.test(command)).length;
  assert.equal(fetches(), 2);
  world.server.forgetRevisions(url);
  const { manifests } = await world.server.generateManifests(request({}), noSignal);
  assert.deepEqual([manifests[0]?.manifest.metadata.name, fetches()], ["b", 2]);
  const none = { ...request({}), revision: "5".repeat(40) };
  await assert.rejects(world.server.fetchRevision(none, noSignal), failsWith({ code: "REVISION_MISSING" }));
  assert.equal(fetches(), 3, "it is looked for nowhere else");
});

test("a commit that a server does not have costs one question, and nobody the history of the repository", async () => {
  await using server = await startGitServer();
  const repository = await server.createRepository("apps", { "app/a.yaml": configMap("a") });
  await repository.commit({ "app/a.yaml": configMap("b") });
  await using world = await startWorld();
  const { url } = repository;
  const render = (targetRevision: string) =>
    world.render({ repoURL: url, path: "app", targetRevision }, { repository: { url } });
  await render("main");
  const asked = server.requests.length;
  const revision = "5".repeat(40);
  await assert.rejects(render(revision), failsWith({ code: "REVISION_MISSING", revision }));
  assert.deepEqual(server.requests.slice(asked), ["POST /apps.git/git-upload-pack"]);
  assert.ok(readdirSync(onlyRepository(world.dataDir)).includes("shallow"));
});

test("a tag's own id means its commit; what is no commit is refused, and costs nobody the copy", async () => {
  await using plain = await startWorld();
  const commit = plain.repository.commit({ "app/a.yaml": configMap("a") });
  plain.repository.git("tag", "-a", "v1", "-m", "annotated");
  plain.repository.git("tag", "-a", "v1-again", "v1", "-m", "of a tag");
  const { path, calls } = recordingGit(plain.folder);
  await using world = await startWorld({ env: { PATH: path } });
  const { url } = plain.repository;
  const render = (targetRevision: string) =>
    world.render({ repoURL: url, path: "app", targetRevision }, { repository: { url } });
  await render("main");
  const id = (name: string) => plain.repository.git("rev-parse", name);
  for (const tag of ["v1", "v1-again"])
    assert.equal((await render(id(tag))).manifests[0]?.manifest.metadata.name, "a", tag);
  for (const [name, kind] of [
    ["HEAD^{tree}", "tree"],
    ["HEAD:app/a.yaml", "blob"],
  ] as const)
    await assert.rejects(
      render(id(name)),
      failsWith({ code: "INVALID_ARGUMENT" }, new RegExp(`is no commit but a ${kind}`)),
    );
  const before = calls().filter((command) => /^fetch /.test(command)).length;
  await render(commit);
  assert.equal(calls().filter((command) => /^fetch /.test(command)).length, before);
});

test("one request tells what a remote has", async () => {
  await using server = await startGitServer();
  const repository = await server.createRepository("apps", { "app/a.yaml": configMap("a") });
  await using world = await startWorld();
  const request = world.request({ repoURL: repository.url }, { repository: { url: repository.url } });
  const asked = server.requests.length;
  await world.server.resolveRevision(request, noSignal);
  assert.deepEqual(server.requests.slice(asked), ["GET /apps.git/info/refs?service=git-upload-pack"]);
});

test("an answer under way when a push is announced is not taken for new", async () => {
  await using world = await startWorld();
  world.repository.commit({ "app/a.yaml": configMap("a") });
  const before = world.server.resolveRevision(world.request({}), noSignal);
  const second = world.repository.commit({ "app/a.yaml": configMap("b") });
  world.server.forgetRevisions(world.repository.url);
  await before;
  assert.equal((await world.server.resolveRevision(world.request({}), noSignal)).revision, second);
});

function onlyRepository(dataDir: string): string {
  const [name, ...others] = readdirSync(join(dataDir, "repos"));
  assert.ok(name && others.length === 0);
  return join(dataDir, "repos", name);
}
