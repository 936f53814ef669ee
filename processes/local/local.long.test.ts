import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe("a Capstan of this machine in the background", () => {
  let data: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "capstan-local-"));
  });
  after(async () => {
    await capstan("down", "--force");
    await rm(data, { recursive: true, force: true });
  });

  function capstan(...args: string[]): Promise<Said> {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, CAPSTAN_DATA: data };
    const limits = { timeout: 100_000, maxBuffer: 2 ** 24 };
    return new Promise((answer) => {
      execFile(process.execPath, [program, ...args], { env, ...limits }, (error, out, err) => {
        answer({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out, err });
      });
    });
  }
  const start = (...more: string[]) =>
    capstan("up", "-d", "--wait", "--port", "0", "--cluster-port=0", ...more);
  const pid = async () => Number(await readFile(join(data, "lock"), "utf8"));

  test("it is started, found, used and stopped by commands of its own", async () => {
    const none = await capstan("status");
    assert.equal(none.code, 1);
    assert.match(none.out, /^state +stopped\n/);
    const begun = await start();
    assert.equal(begun.code, 0, begun.err);
    assert.match(begun.out, /^state +running\npage +http:\/\/127\.0\.0\.1:\d+\n/);
    const { state, url, firstHealthyMs } = JSON.parse((await capstan("status", "-o", "json")).out);
    assert.equal(state, "running");
    assert.ok(firstHealthyMs > 0);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const twice = await start();
    assert.equal(twice.code, 2);
    assert.match(twice.err, /runs in .* already: capstan status shows it/);
    const listed = await capstan("kubectl", "get", "namespace", "argocd", "-o", "name");
    assert.equal(listed.out, "namespace/argocd\n", listed.err);
    assert.equal((await capstan("kubectl", "get", "namespace", "absent")).code, 1);
    const logs = await capstan("logs", "--tail", "1");
    assert.equal(logs.out.trimEnd().split("\n").length, 1);
    assert.match((await capstan("logs")).out, /^Capstan \S+ is starting/);
    const queues = await capstan("debug", "queues");
    assert.match(queues.out, /^QUEUE +RUNNING +WAITING +LATER +LONGEST\n/, queues.err);
    assert.match(queues.out, /^app_reconciliation_queue +\d+ +\d+ +[1-9]/m);
    const profile = await capstan("debug", "cpu", "--seconds", "1", "--to", join(data, "up.cpuprofile"));
    assert.equal(profile.out, `${join(data, "up.cpuprofile")}\n`, profile.err);
    assert.ok(JSON.parse(await readFile(join(data, "up.cpuprofile"), "utf8")).nodes.length > 0);
    const ended = await capstan("down");
    assert.match((await capstan("debug", "memory")).err, /nothing answers in .*debug\.sock/);
    assert.match(ended.out, /^stopped process \d+; the data stays in /);
    assert.match((await capstan("down")).out, /^nothing runs in /);
  });

  test("what a kill -9 leaves is nothing that runs, and a start that fails says why", async () => {
    await start();
    process.kill(await pid(), "SIGKILL");
    assert.equal((await capstan("status")).code, 1);
    const wrong = await capstan("up", "--detach", "--kubeconfig", join(data, "absent"));
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.err, /absent/);
    assert.equal((await start()).code, 0);
    assert.equal((await capstan("down")).code, 0);
  });

  test("where nobody makes an application none is waited for", async () => {
    const fresh = join(data, "fresh");
    const { code, err } = await start("--no-samples", "--data", fresh);
    assert.equal((await capstan("down", "--data", fresh)).code, 0);
    assert.equal(code, 0, err);
  });

  test("doctor looks at everything and names what to do", async () => {
    const { code, out } = await capstan("doctor", "-o", "json");
    const found: { state: string; what: string; todo?: string }[] = JSON.parse(out);
    assert.equal(code, found.some(({ state }) => state === "fails") ? 1 : 0);
    for (const what of ["git", "bubblewrap", "helm", "kustomize", "kubectl", "data folder", "memory"])
      assert.ok(
        found.some((one) => one.what === what),
        what,
      );
    for (const { state, todo } of found) assert.equal(todo === undefined, state === "ok");
  });
});
