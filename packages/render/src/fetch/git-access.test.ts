import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { Repository } from "@capstan/model";

import { configMap, failsWith, gitEnv, startWorld } from "@capstan/testkit/render-world";

/** Git over HTTP by git's own CGI program, for those who send the header. */
async function serveGit(root: string, authorization: string): Promise<{ url: string; server: Server }> {
  const backend = join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-http-backend");
  const server = createServer((request, response) => {
    if (request.headers.authorization === authorization) runBackend(backend, root, { request, response });
    else response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, server };
}

function runBackend(
  backend: string,
  root: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://x");
  const env = {
    ...gitEnv,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method ?? "GET",
    CONTENT_TYPE: request.headers["content-type"] ?? "",
    GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
  };
  const child = spawn(backend, { env });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    for (const line of output.toString("latin1", 0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ", 2);
      if (name === "Status") response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}

const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;

const kinds: [name: string, credentials: Partial<Repository>, header: string][] = [
  ["user and password", { username: "ada", password: "secret" }, basic],
  [
    "basic authentication without being asked",
    { username: "ada", password: "secret", forceHttpBasicAuth: true },
    basic,
  ],
  ["bearer token", { bearerToken: "secret" }, "Bearer secret"],
];

for (const [name, credentials, header] of kinds)
  test(`git over HTTP with ${name}`, async (t) => {
    await using world = await startWorld();
    world.repository.commit({ "app/a.yaml": configMap("a") });
    const { url: base, server } = await serveGit(world.folder, header);
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `${base}/repository/.git`;
    const repository = { url, ...credentials };
    const answer = await world.render({ path: "app", repoURL: url }, { repository });
    assert.equal(answer.manifests.length, 1);
    const wrong = {
      url,
      ...credentials,
      ...(credentials.bearerToken ? { bearerToken: "no" } : { password: "no" }),
    };
    await assert.rejects(
      world.render({ path: "app", repoURL: url }, { repository: wrong }),
      failsWith({ code: "REPOSITORY_AUTH" }),
    );
    const { revision: targetRevision } = answer;
    for (const source of [{}, { targetRevision }])
      await assert.rejects(
        world.render({ path: "app", repoURL: url, ...source }, { repository: { url } }),
        failsWith({ code: "REPOSITORY_AUTH" }),
      );
  });

test("git over ssh: the key is in a private file, hosts must be known, nothing asks, and no file stays", async () => {
  await using plain = await startWorld();
  plain.repository.commit({ "app/a.yaml": configMap("a") });
  const bin = join(plain.folder, "bin");
  const seen = join(plain.folder, "seen");
  mkdirSync(bin);
  // Stands for ssh: writes down how it was called and runs the remote command here.
  const script = `#!/bin/sh
printf '%s ' "$@" > '${seen}'
while [ $# -gt 0 ]; do case "$1" in -i) stat -c %a "$2" >> '${seen}'; cat "$2" >> '${seen}'; shift 2;; -o|-p) shift 2;; -*) shift;; *) break;; esac; done
shift
PATH='${gitEnv.PATH}' GIT_PROTOCOL= exec sh -c "$*"
`;
  writeFileSync(join(bin, "ssh"), script);
  chmodSync(join(bin, "ssh"), 0o755);
  await using world = await startWorld({ env: { PATH: `${bin}:${gitEnv.PATH}` } });
  const url = `ssh://git@host.example.com${plain.repository.dir}`;
  const answer = await world.render(
    { path: "app", repoURL: url },
    { repository: { url, sshPrivateKey: "PRIVATE KEY" } },
  );
  assert.equal(answer.manifests.length, 1);
  const [call = "", mode, key] = readFileSync(seen, "utf8").split(/(?<= )(?=\d{3}\n)|\n/);
  assert.match(
    call,
    /-o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=\S*ssh_known_hosts/,
  );
  assert.match(call, /-o IdentitiesOnly=yes/);
  assert.deepEqual([mode, key], ["600", "PRIVATE KEY"]);
  assert.deepEqual(readdirSync(join(world.dataDir, "git", "keys")), []);
});
