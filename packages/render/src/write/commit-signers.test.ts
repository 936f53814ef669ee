/** Commits that are pushed bear the operator's signature: git itself says so, of a copy with nothing but public keys. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createSigner, type GitServer, lackingGpg, startGitServer } from "@capstan/testkit";
import { failsWith, noSignal, realClock, TestLog } from "@capstan/testkit/render-world";
import type { CommitSigning, FileWriteRequest, RepoServer } from "@capstan/wire";
import { createRepoServer } from "../repo-server.ts";

const run = promisify(execFile);
const noSsh = spawnSync("ssh-keygen", ["-?"]).error ? "ssh-keygen is not installed" : false;
const credentials = { username: "ada", password: "secret" };
let server: GitServer;
let dir: string;
let repo: RepoServer & AsyncDisposable;

before(async () => {
  server = await startGitServer({ credentials });
  dir = await mkdtemp(join(tmpdir(), "capstan-sign-"));
  const dataDir = join(dir, "data");
  repo = await createRepoServer({
    dataDir,
    clock: realClock,
    log: new TestLog(),
    env: process.env,
    plugins: [],
  });
});
after(async () => {
  await repo[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
});

const author = { name: "bot", email: "bot@shop.example" };

async function writeSigned(name: string, signing: CommitSigning) {
  const hosted = await server.createRepository(name, { "values.yaml": "tag: 1.0.0\n" });
  const request: FileWriteRequest = {
    repository: { url: hosted.url, ...credentials },
    base: "main",
    branch: "",
    edits: [{ kind: "values", file: "values.yaml", values: [{ key: "tag", value: "1.1.0" }] }],
    message: "build: automatic update of web\n\nupdates image shop/web\n",
    author,
    signing,
  };
  return { hosted, write: () => repo.writeFiles(request, noSignal) };
}

async function sshKey(passphrase = "") {
  const file = join(await mkdtemp(join(dir, "key-")), "id");
  await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "bot", "-f", file]);
  return { key: await readFile(file, "utf8"), publicKey: await readFile(`${file}.pub`, "utf8") };
}

/** What somebody else gets. */
async function clone(url: string): Promise<string[]> {
  const folder = await mkdtemp(join(dir, "clone-"));
  const address = url.replace("://", `://${credentials.username}:${credentials.password}@`);
  await run("git", ["clone", "--quiet", address, folder]);
  return ["-C", folder];
}

const keysLeft = async () => (await readdir(join(dir, "data", "signing"))).length;

test("with a key of OpenPGP, git verifies the commit and who made it", { skip: lackingGpg() }, async () => {
  await using signer = await createSigner("bot <bot@shop.example>");
  const { hosted, write } = await writeSigned("gpg", { method: "openpgp", key: signer.privateKey });
  const { revision } = await write();
  const home = await mkdtemp(join(dir, "ring-"));
  const keys = join(home, "keys");
  await writeFile(keys, signer.publicKey);
  await run("gpg", ["--homedir", home, "--batch", "--quiet", "--import", keys]);
  const git = await clone(hosted.url);
  const env = { ...process.env, GNUPGHOME: home };
  const { stderr } = await run("git", [...git, "verify-commit", "--raw", revision], { env });
  assert.match(stderr, new RegExp(`GOODSIG ${signer.keyId} bot <bot@shop\\.example>`));
  const [who, message] = (await hosted.git("log", "-1", "--format=%an <%ae> %cn%n%B", "main")).split(
    /\n(.*)/s,
  );
  assert.equal(who, "bot <bot@shop.example> bot");
  assert.equal(message, "build: automatic update of web\n\nupdates image shop/web");
  assert.equal(await hosted.git("rev-list", "--count", "main"), "2");
  assert.equal(await keysLeft(), 0);
});

test("with a key of ssh, git verifies the commit; another signer's is not his", { skip: noSsh }, async () => {
  const { key, publicKey } = await sshKey();
  const { hosted, write } = await writeSigned("ssh", { method: "ssh", key: key.trim() });
  const { revision } = await write();
  const git = await clone(hosted.url);
  const verify = async (allowed: string) => {
    const file = join(dir, "allowed");
    await writeFile(file, `bot@shop.example ${allowed}`);
    const settings = ["-c", "gpg.format=ssh", "-c", `gpg.ssh.allowedSignersFile=${file}`];
    return run("git", [...git, ...settings, "verify-commit", revision]);
  };
  assert.match((await verify(publicKey)).stderr, /Good "git" signature for bot@shop\.example/);
  await assert.rejects(verify((await sshKey()).publicKey));
  assert.equal(await keysLeft(), 0);
});

test("a key that cannot sign is refused, nothing is pushed and no key stays on disk", {
  skip: noSsh,
}, async () => {
  const refused = { code: "FAILED_PRECONDITION", what: "git.commit-signing-key" } as const;
  const locked = await sshKey("hush");
  for (const signing of [
    { method: "openpgp", key: "no key" },
    { method: "ssh", key: "no key" },
    { method: "ssh", key: locked.key },
  ] as const) {
    const { hosted, write } = await writeSigned(`bad-${signing.method}-${signing.key.length}`, signing);
    await assert.rejects(write(), failsWith(refused));
    assert.equal(await hosted.git("rev-list", "--count", "main"), "1");
  }
  assert.equal(await keysLeft(), 0);
});
