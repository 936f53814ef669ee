import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ownAccess } from "./read-configuration.ts";

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-access-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test("in a Pod: its ServiceAccount's token and authority", async (t) => {
  const folder = await folderWith(t, { "ca.crt": "the authority", token: "the token\n" });
  const access = { caData: "the authority", bearerToken: "the token" };
  const at = (host: string) =>
    ownAccess({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: "8443" }, folder);
  assert.deepEqual(await at("10.0.0.1"), { server: "https://10.0.0.1:8443", ...access });
  assert.deepEqual(await at("fd00::1"), { server: "https://[fd00::1]:8443", ...access });
});

test("a kubeconfig may name its authority as a file", async (t) => {
  const folder = await folderWith(t, { "ca.crt": "the authority" });
  const KUBECONFIG = join(folder, "config");
  const cluster = { server: "https://localhost:1", "certificate-authority": "ca.crt" };
  const config = {
    "current-context": "own",
    clusters: [{ name: "own", cluster }],
    contexts: [{ name: "own", context: { cluster: "own" } }],
  };
  await writeFile(KUBECONFIG, JSON.stringify(config));
  const access = await ownAccess({ KUBECONFIG }, folder);
  assert.deepEqual(access, { server: "https://localhost:1", caFile: join(folder, "ca.crt") });
});

test("elsewhere it says what to set", async (t) => {
  await assert.rejects(ownAccess({}, await folderWith(t, {})), /set KUBECONFIG, or run in one/);
});
