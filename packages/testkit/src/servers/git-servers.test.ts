import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { lackingGitSshServer, startGitServer, startGitSshServer } from "../index.ts";

const run = promisify(execFile);

/** git in a folder of its own that reads no settings of the machine and asks nobody for a password. */
async function openClient(env: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-git-client-"));
  const settings = {
    PATH: process.env.PATH,
    HOME: dir,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Client",
    GIT_AUTHOR_EMAIL: "client@example.com",
    GIT_COMMITTER_NAME: "Client",
    GIT_COMMITTER_EMAIL: "client@example.com",
    ...env,
  };
  return {
    dir,
    git: async (...args: string[]) =>
      (await run("git", args, { cwd: dir, env: settings, timeout: 100_000 })).stdout,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

async function pushOneCommit(client: Awaited<ReturnType<typeof openClient>>): Promise<void> {
  await writeFile(join(client.dir, "clone", "pushed"), "by the client\n");
  await client.git("-C", "clone", "add", "--all");
  await client.git("-C", "clone", "commit", "--quiet", "--message=push");
  await client.git("-C", "clone", "push", "--quiet", "origin", "main");
}

const credentials = { username: "robot", password: "p:ss word" };
const withPassword = (url: string) =>
  url.replace("://", `://${credentials.username}:${encodeURIComponent(credentials.password)}@`);

test("git clones and pushes over HTTP", async () => {
  await using server = await startGitServer();
  await using client = await openClient();
  const repository = await server.createRepository("apps", { "a/one": "1\n" });
  await client.git("clone", "--quiet", repository.url, "clone");
  assert.equal(await readFile(join(client.dir, "clone/a/one"), "utf8"), "1\n");
  await pushOneCommit(client);
  assert.equal(await readFile(join(repository.dir, "pushed"), "utf8"), "by the client\n");
  const commit = await repository.commit({ "a/one": "2\n" });
  assert.match(await client.git("ls-remote", repository.url, "main"), new RegExp(`^${commit}`));
  assert.ok(server.requests.includes("GET /apps.git/info/refs?service=git-upload-pack"));
  await assert.rejects(client.git("ls-remote", `${server.url}/none.git`), /not found/);
});

test("git over HTTPS wants the right password and the right authority", async () => {
  await using server = await startGitServer({ credentials, tls: true });
  await using client = await openClient();
  const { url } = await server.createRepository("apps", { one: "1\n" });
  await writeFile(join(client.dir, "ca.pem"), server.certificateAuthority);
  const trusting = ["-c", `http.sslCAInfo=${join(client.dir, "ca.pem")}`];
  await client.git(...trusting, "ls-remote", withPassword(url));
  await assert.rejects(client.git("ls-remote", withPassword(url)), /certificate/);
  await assert.rejects(client.git(...trusting, "ls-remote", url), /could not read Username/);
  const wrong = url.replace("://", "://robot:wrong@");
  await assert.rejects(client.git(...trusting, "ls-remote", wrong), /Authentication failed/);
});

test("git clones and pushes over ssh with the key and the known host, and nothing else runs", {
  skip: lackingGitSshServer(),
}, async () => {
  await using server = await startGitSshServer();
  const known = `-o UserKnownHostsFile=${server.knownHostsFile} -o StrictHostKeyChecking=yes`;
  const ssh = `ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes ${known}`;
  await using client = await openClient({ GIT_SSH_COMMAND: `${ssh} -i ${server.privateKeyFile}` });
  await using stranger = await openClient({ GIT_SSH_COMMAND: `${ssh} -i /dev/null` });
  const repository = await server.createRepository("apps", { one: "1\n" });
  await client.git("clone", "--quiet", repository.url, "clone");
  await pushOneCommit(client);
  assert.equal(await readFile(join(repository.dir, "pushed"), "utf8"), "by the client\n");
  await assert.rejects(stranger.git("ls-remote", repository.url), /Permission denied/);
  const { hostname, port, username } = new URL(repository.url);
  const login = [...ssh.split(" ").slice(1), "-i", server.privateKeyFile, "-p", port];
  await assert.rejects(run("ssh", [...login, `${username}@${hostname}`, "id"]), /unrecognized command/);
});
