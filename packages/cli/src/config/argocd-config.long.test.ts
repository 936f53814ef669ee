/** One file for `argocd` and `capstan`: what the one has written the other reads. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { lacking, realClock, realProgramPath } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "../test-main.ts";

const exec = promisify(execFile);

describe("argocd's configuration", { skip: lacking("argocd") }, () => {
  let api: ApiWorld;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-argocd-"));
    api = await openApiWorld();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const argocd = async (...argv: string[]) =>
    (await exec(realProgramPath("argocd"), argv, { env: { HOME: home }, timeout: 30_000 })).stdout;
  const capstan = (...argv: string[]) => runMain(argv, { home, clock: realClock });

  test("what capstan login writes is argocd's, and the other way round", async () => {
    const { host } = new URL(api.url);
    const first = await capstan("login", api.url, "--username", "admin", "--password", api.password);
    assert.deepEqual(first, {
      code: 0,
      out: `'admin:login' logged in successfully\nContext '${host}' updated\n`,
      err: "",
    });
    const named = ["--username", "admin", "--password", api.password, "--name", "second"];
    assert.equal((await capstan("login", host, ...named)).code, 0);
    assert.equal(await argocd("context"), (await capstan("context")).out);
    assert.equal(await argocd("context", host), `Switched to context '${host}'\n`);
    assert.equal((await capstan("app", "list", "-o", "json")).out, "[]\n");
    assert.equal((await capstan("context", "-")).out, "Switched to context 'second'\n");
    assert.equal(
      await argocd("configure", "--prompts-enabled=false").then(() => argocd("context")),
      (await capstan("context")).out,
    );
    assert.match((await capstan("account", "get-user-info")).out, /Username: admin/);
    const file = join(home, ".config", "argocd", "config");
    const before = await readFile(file, "utf8");
    assert.equal(
      (await capstan("relogin", "--password", api.password)).out,
      "Relogging in as 'admin'\nContext 'second' updated\n",
    );
    assert.notEqual(await readFile(file, "utf8"), before);
    assert.equal(await argocd("logout", "second"), "Logged out from 'second'\n");
    assert.equal((await capstan("app", "list")).code, 20);
    assert.equal((await capstan("logout", host)).out, `Logged out from '${host}'\n`);
    assert.doesNotMatch(await readFile(file, "utf8"), /auth-token/);
    assert.equal((await capstan("context", "second", "--delete")).out, "Context 'second' deleted\n");
    assert.equal(await argocd("context", host, "--delete"), `Context '${host}' deleted\n`);
    assert.match((await capstan("context")).err, /^No contexts defined in /);
  });
});
