import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { CapstanError } from "@capstan/model";
import { createGitRepository } from "@capstan/testkit";
import { LocalGit, type StartUpload } from "./local-git.ts";

const run = promisify(execFile);

const startUpload: StartUpload = async (folder, version) => {
  if (folder === "/srv/secret")
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.repoURL", problem: "not this one" });
  const env = { ...process.env, GIT_PROTOCOL: `version=${version}` };
  const child = spawn("git", ["upload-pack", folder], { env, stdio: "pipe" });
  const ended = once(child, "close").then(([code]) => code);
  return { ...child, ended, kill: () => void child.kill() };
};

async function git(...args: string[]): Promise<string> {
  const done = run("git", args, { timeout: 30_000, maxBuffer: 8_000_000 });
  return done.then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

test("git fetches from the folders of a grant and from no other", async () => {
  await using repository = await createGitRepository({ "a.txt": "x".repeat(3_000_000), "b.txt": "b" });
  const folder = repository.url.replace("file://", "");
  await using server = await LocalGit.listen(startUpload);
  using grant = server.grant();
  const { port, token } = grant.address;
  const at = (path: string, by = token) => `git://127.0.0.1:${port}/${by}${path}`;
  assert.match(
    await git("ls-remote", at(folder)),
    /remote error: refused: no application names a repository in/,
  );
  grant.permit([folder, "/srv/secret", "/srv/nothing"]);
  assert.match(await git("ls-remote", at(folder)), /refs\/heads\/main/);
  assert.match(await git("-c", "protocol.version=0", "ls-remote", at(folder)), /refs\/heads\/main/);
  await using copy = await createGitRepository({ "c.txt": "c" });
  const into = copy.url.replace("file://", "");
  assert.equal(
    await git(
      "-C",
      into,
      "fetch",
      "--quiet",
      "--depth=1",
      at(`${folder}/../${folder.split("/").at(-1)}`),
      "main",
    ),
    "",
  );
  assert.equal((await git("-C", into, "show", "FETCH_HEAD:a.txt")).length, 3_000_000);
  assert.match(await git("ls-remote", at("/srv/secret")), /remote error: refused: not this one/);
  assert.match(
    await git("ls-remote", at("/srv/nothing")),
    /remote error: fatal: '\/srv\/nothing' does not appear to be a git/,
  );
  assert.match(await git("ls-remote", at(folder, "00")), /refused: no application names/);
  assert.match(
    await git("-C", into, "push", at(folder), "HEAD:refs/heads/x"),
    /refused: a repository of this machine is only read/,
  );
  grant[Symbol.dispose]();
  assert.match(await git("ls-remote", at(folder)), /refused: no application names/);
});

test("who does not speak git's protocol gets no answer", async () => {
  await using server = await LocalGit.listen(startUpload);
  using grant = server.grant();
  for (const said of [
    "GET / HTTP/1.1\r\n\r\n",
    "ffffgit-upload-pack /x",
    "0000",
    "001egit-upload-archive /00/srv/x\0",
    "00",
  ]) {
    const socket = connect(grant.address.port, "127.0.0.1");
    // In pieces, as a slow network would.
    for (const letter of said) socket.write(letter);
    socket.end();
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    assert.equal(answer, "", said);
  }
});
