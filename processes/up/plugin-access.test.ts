import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Settings } from "@capstan/kube";
import { readUpOptions } from "./options.ts";
import { openPluginAccess } from "./plugin-access.ts";

const fromSecret = {
  authority: { authority: "theirs", from: "ca.crt of a Secret" },
  certificate: { certificate: "shown", key: "its key" },
};

async function accessBy(env: Record<string, string>, settings: { current: Pick<Settings, "pluginTls"> }) {
  const options = readUpOptions([], env);
  assert.ok(options !== "help");
  return openPluginAccess(options, settings);
}

test("plugin services are known and shown what the cluster's Secret holds now", async () => {
  const settings: { current: Pick<Settings, "pluginTls"> } = { current: { pluginTls: {} } };
  const access = await accessBy({}, settings);
  assert.deepEqual(access(), {});
  settings.current = { pluginTls: fromSecret };
  assert.deepEqual(access(), fromSecret);
});

test("what the environment names goes before the Secret", async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-access-"));
  try {
    for (const name of ["ca", "cert", "key", "token"])
      await writeFile(join(dir, name), `${name} of a file\n`);
    const env = {
      CAPSTAN_PLUGIN_CA_FILE: join(dir, "ca"),
      CAPSTAN_PLUGIN_CERT_FILE: join(dir, "cert"),
      CAPSTAN_PLUGIN_KEY_FILE: join(dir, "key"),
      CAPSTAN_PLUGIN_TOKEN_FILE: join(dir, "token"),
    };
    const access = await accessBy(env, { current: { pluginTls: fromSecret } });
    assert.deepEqual(access(), {
      token: "token of a file",
      authority: { authority: "ca of a file\n", from: "CAPSTAN_PLUGIN_CA_FILE" },
      certificate: { certificate: "cert of a file\n", key: "key of a file\n" },
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
