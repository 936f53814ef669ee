import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createAuthority } from "@capstan/cluster/certificates";
import type { Settings } from "@capstan/kube";
import type { FollowMeans } from "@capstan/plugin-kit";
import { eventually, realClock } from "@capstan/testkit";
import { readUpOptions } from "./options.ts";
import { openPluginAccess } from "./plugin-access.ts";

const fromSecret = {
  authority: { authority: "theirs", from: "ca.crt of a Secret" },
  certificate: { certificate: "shown", key: "its key" },
};

const now = realClock.now();
const [first, second] = [createAuthority("first", now), createAuthority("second", now)];
const said: string[] = [];
const tell = (_fields: object, message: string) => void said.push(message);

/** Each call of `look` lets those who follow files look once. */
function clockByHand() {
  const asleep = new Set<() => void>();
  const clock = {
    now: realClock.now,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
        asleep.add(resolve);
      }),
  };
  const look = async () => {
    const wanted = asleep.size;
    for (const wake of asleep) wake();
    asleep.clear();
    await eventually(() => asleep.size === wanted || undefined, {
      signal: AbortSignal.timeout(60_000),
      describe: () => "not all have looked",
    });
  };
  return { clock, look };
}

async function accessBy(
  env: Record<string, string>,
  settings: { current: Pick<Settings, "pluginTls"> },
  means: Pick<FollowMeans, "clock" | "signal"> = { clock: realClock, signal: AbortSignal.abort() },
) {
  const options = readUpOptions({}, env);
  return openPluginAccess(options, settings, {
    ...means,
    log: { debug: tell, info: tell, warn: tell, error: tell },
  });
}

test("plugin services are known and shown what the cluster's Secret holds now", async () => {
  const settings: { current: Pick<Settings, "pluginTls"> } = { current: { pluginTls: {} } };
  const access = await accessBy({}, settings);
  assert.deepEqual(access(), {});
  settings.current = { pluginTls: fromSecret };
  assert.deepEqual(access(), fromSecret);
});

test("what the environment names goes before the Secret, and is followed; what is wrong leaves the earlier", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-access-"));
  const stopping = new AbortController();
  const write = (name: string, text: string) => writeFile(join(dir, name), text);
  const env = {
    CAPSTAN_PLUGIN_CA_FILE: join(dir, "ca"),
    CAPSTAN_PLUGIN_CERT_FILE: join(dir, "cert"),
    CAPSTAN_PLUGIN_KEY_FILE: join(dir, "key"),
    CAPSTAN_PLUGIN_TOKEN_FILE: join(dir, "token"),
  };
  const expected = (token: string, ca: typeof first, pair: typeof first) => ({
    token,
    authority: { authority: ca.certificate, from: "CAPSTAN_PLUGIN_CA_FILE" },
    certificate: pair,
  });
  try {
    await write("ca", first.certificate);
    await write("cert", first.certificate);
    await write("key", first.key);
    await write("token", "one\n");
    const { clock, look } = clockByHand();
    const means = { clock, signal: stopping.signal };
    const access = await accessBy(env, { current: { pluginTls: fromSecret } }, means);
    assert.deepEqual(access(), expected("one", first, first));
    await write("token", "two");
    await write("cert", second.certificate);
    await write("ca", "-----BEGIN CERTIFICATE-----\n");
    await look();
    assert.deepEqual(access(), expected("two", first, first), "a pair without its key is none");
    const wrong = "files that have changed cannot be used; the earlier ones stay";
    assert.equal(said.filter((message) => message === wrong).length, 2);
    await write("key", second.key);
    await write("ca", second.certificate);
    await look();
    assert.deepEqual(access(), expected("two", second, second));
  } finally {
    stopping.abort();
    await rm(dir, { recursive: true, force: true });
  }
});

test("a file that says nothing of use is an error at the start, by its name", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-access-"));
  try {
    await writeFile(join(dir, "ca"), "no PEM");
    const opening = accessBy({ CAPSTAN_PLUGIN_CA_FILE: join(dir, "ca") }, { current: { pluginTls: {} } });
    await assert.rejects(opening, /\/ca holds no certificate in PEM/);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
