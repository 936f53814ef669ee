import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import { eventually, lackingRealVault, type RealVault, realClock, startRealVault } from "@capstan/testkit";
import { asRoot, oneValue } from "./fill.ts";

const skip = lackingRealVault();
const address = "secret/data/web#password";

async function startVault(options: { tls?: boolean } = {}): Promise<RealVault> {
  const vault = await startRealVault(options);
  await vault.ask("POST secret/data/web", { data: { password: "one" } });
  return vault;
}

/** Sleeps of half a minute last a second, and of a second none. */
const hastyClock: Clock = {
  now: realClock.now,
  sleep: (ms, signal) => realClock.sleep(ms >= 30_000 ? 1000 : 0, signal),
};

/** Until all its threads stand still: a signal is on its way for a moment. */
async function stop(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const isStopped = async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const states = threads.map((id) => readFile(`/proc/${pid}/task/${id}/status`, "utf8"));
    return (await Promise.all(states)).every((text) => /State:\s+T/.test(text)) || undefined;
  };
  const signal = AbortSignal.timeout(30_000);
  await eventually(isStopped, { signal, describe: () => "the server does not stand still" });
}

test("TLS: the authority that the server made, another name, or no check", { skip }, async () => {
  await using vault = await startVault({ tls: true });
  const env = asRoot(vault);
  assert.equal(await oneValue({ ...env, VAULT_CACERT: vault.authority }, address), "one");
  assert.equal(await oneValue({ ...env, VAULT_SKIP_VERIFY: "1" }, address), "one");
  await assert.rejects(oneValue(env, address), /127\.0\.0\.1:\d+ cannot be reached: .*(certificate|issuer)/);
  const named = { ...env, VAULT_CACERT: vault.authority, VAULT_TLS_SERVER_NAME: "vault.example" };
  await assert.rejects(oneValue(named, address), /cannot be reached: .*vault\.example.* altnames/);
  const plain = { ...env, VAULT_ADDR: vault.address.replace("https:", "http:") };
  await assert.rejects(
    oneValue(plain, address, { clock: hastyClock }),
    /Vault answers 400|cannot be reached/,
  );
});

test("a sealed server says so at once, and serves again when it is unsealed", { skip }, async () => {
  await using vault = await startVault();
  const env = asRoot(vault);
  await vault.ask("PUT sys/seal");
  await assert.rejects(oneValue(env, address), /password at secret\/data\/web: Vault is sealed$/);
  const user = { AVP_AUTH_TYPE: "userpass", AVP_USERNAME: "ada", AVP_PASSWORD: "p" };
  await assert.rejects(
    oneValue({ ...env, ...user }, address),
    /Vault's login at auth\/userpass: Vault is sealed$/,
  );
  await vault.ask("PUT sys/unseal", { key: vault.unsealKey });
  assert.equal(await oneValue(env, address), "one");
});

const noProc = existsSync("/proc/self/status")
  ? false
  : "there is no /proc to see by whether it stands still";

test("a server that stands still is waited for, and not for ever", { skip: skip || noProc }, async () => {
  await using vault = await startVault();
  const env = asRoot(vault);
  await stop(vault.pid);
  try {
    const message = /127\.0\.0\.1:\d+ gave no answer within 30 s$/;
    await assert.rejects(oneValue(env, address, { clock: hastyClock }), message);
    const givenUp = AbortSignal.timeout(200);
    await assert.rejects(oneValue(env, address, { signal: givenUp }), /aborted due to timeout/);
    const late = oneValue(env, address);
    process.kill(vault.pid, "SIGCONT");
    assert.equal(await late, "one");
  } finally {
    process.kill(vault.pid, "SIGCONT");
  }
});

test("too many requests for a quota are asked again after a second", { skip }, async () => {
  await using vault = await startVault();
  const env = asRoot(vault);
  await vault.ask("POST sys/quotas/rate-limit/own", { rate: 1, interval: "2s", path: "secret/" });
  assert.equal(await oneValue(env, address), "one");
  assert.equal(await oneValue(env, address), "one");
  await vault.ask("POST sys/quotas/rate-limit/own", { rate: 1, interval: "10m", path: "secret/" });
  const refused = () => oneValue(env, address, { clock: hastyClock }).then(() => undefined, String);
  const told = await eventually(refused, {
    signal: AbortSignal.timeout(30_000),
    describe: () => "nothing is refused",
  });
  assert.match(told, /Vault answers 429: request path "secret\/data\/web": rate limit quota exceeded$/);
});

test("a server that is gone is named with its port", { skip }, async () => {
  const vault = await startVault();
  await vault[Symbol.asyncDispose]();
  await assert.rejects(
    oneValue(asRoot(vault), address),
    /127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/,
  );
});
