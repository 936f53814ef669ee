import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { type TestContext, test } from "node:test";
import { CapstanError } from "@capstan/model";
import { realClock as clock } from "@capstan/testkit/render-world";
import { GitRedirects } from "./git-redirects.ts";

// From when the file is loaded: others may be played before it in this process.
const signal = AbortSignal.timeout(600_000);
const moved = (from: string) =>
  new CapstanError({
    code: "TOOL_FAILED",
    tool: "git",
    command: "git ls-remote",
    exitCode: 128,
    stderr: `fatal: unable to access '${from}': The requested URL returned error: 301`,
  });

async function serve(t: TestContext, leads: (path: string) => string | undefined): Promise<string> {
  const server: Server = createServer((request, response) => {
    const location = leads(request.url ?? "");
    if (location === undefined) response.writeHead(200).end("x".repeat(100_000));
    else response.writeHead(301, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

/** As git: every address but those that end so answers with a redirect. */
async function follow(redirects: GitRedirects, url: string, end: string) {
  const asked: string[] = [];
  const ask = (address: string) => {
    asked.push(address);
    return address.endsWith(end) ? Promise.resolve(address) : Promise.reject(moved(address));
  };
  return { found: await redirects.following({ url }, ask, signal), asked };
}

test("an address that leads elsewhere at its own host is followed, and remembered", async (t) => {
  const host = await serve(t, (path) =>
    path.startsWith("/org/app/") ? path.replace("/org/app/", "/org/app.git/") : undefined,
  );
  const redirects = new GitRedirects({ clock, timeoutMs: 20_000 });
  const url = `${host}/org/app`;
  assert.deepEqual(await follow(redirects, url, ".git"), { found: `${url}.git`, asked: [url, `${url}.git`] });
  assert.deepEqual(await follow(redirects, url, ".git"), { found: `${url}.git`, asked: [`${url}.git`] });
});

test("one that leads to another host, or to what is no repository, is not followed", async (t) => {
  let visits = 0;
  const other = await serve(t, () => {
    visits += 1;
    return undefined;
  });
  const host = await serve(t, (path) => (path.startsWith("/out") ? `${other}${path}` : "/login"));
  const redirects = new GitRedirects({ clock, timeoutMs: 20_000 });
  await assert.rejects(follow(redirects, `${host}/out/app`, ".git"), /leads to .* at another host/);
  await assert.rejects(follow(redirects, `${host}/in/app`, ".git"));
  assert.equal(visits, 0);
});
