import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { test } from "node:test";
import { failsWith, gitEnv, startWorld } from "@capstan/testkit/render-world";
import { gitCredentials, withGitSettings } from "./git-credentials.ts";

/** What git would send for an address. */
function filled(env: Readonly<Record<string, string>>, url: string): string {
  const asked = spawnSync("git", ["credential", "fill"], {
    env: { ...gitEnv, ...env, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "" },
    input: `url=${url}\n\n`,
    encoding: "utf8",
  });
  return asked.stdout;
}

test("git has the password of one repository for that alone, whatever its spelling", () => {
  const { env, settings } = gitCredentials(
    { url: "https://git.example/org/app.git", password: "p1" },
    "repository",
  );
  const all = withGitSettings(
    { ...env, GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" },
    settings,
  );
  assert.equal(all.GIT_CONFIG_KEY_0, "a.b");
  for (const url of ["https://git.example/org/app", "https://git.example/org/app.git"])
    assert.match(filled(all, url), /password=p1/);
  for (const url of [
    "https://git.example/org/apps",
    "https://git.example/org/other",
    "https://git.example.evil.example/org/app",
    "http://git.example/org/app",
    "https://git.example:8443/org/app",
  ])
    assert.doesNotMatch(filled(all, url), /p1/, url);
});

test("a doubtful address, ssh and a folder get no password", () => {
  for (const url of [
    "https://git.example\\@evil.example/x",
    "ssh://git@git.example/x",
    "/srv/x",
    "ext::sh -c x",
  ])
    assert.deepEqual(gitCredentials({ url, password: "p" }, "host"), { env: {}, settings: [] });
});

test("a redirect to another host is not followed, whatever the credentials; a strange transport is refused at once", async (t) => {
  const seen: (string | undefined)[] = [];
  const thief = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401, { "www-authenticate": "Basic realm=git" }).end();
  });
  const host = createServer((request, response) => {
    const { port } = thief.address() as { port: number };
    response.writeHead(302, { location: `http://127.0.0.1:${port}${request.url}` }).end();
  });
  for (const server of [thief, host]) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
  }
  await using world = await startWorld();
  const url = `http://127.0.0.1:${(host.address() as { port: number }).port}/org/app`;
  const failing = async (credentials: object) => {
    const asked = world.render({ path: "app", repoURL: url }, { repository: { url, ...credentials } });
    await assert.rejects(asked);
  };
  await failing({ username: "ada", password: "secret" });
  await failing({ bearerToken: "secret" });
  await failing({ password: "secret", forceHttpBasicAuth: true });
  await failing({});
  assert.deepEqual(seen, []);
  for (const strange of ["fd::0", "ext::sh -c true"])
    await assert.rejects(
      world.render({ path: "app", repoURL: strange }, { repository: { url: strange } }),
      failsWith({ code: "INVALID_ARGUMENT", field: "source.repoURL" }),
    );
});
