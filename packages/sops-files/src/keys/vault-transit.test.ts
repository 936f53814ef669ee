import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import {
  lacking,
  lackingRealVault,
  type RealVault,
  realClock,
  realProgramPath,
  startRealVault,
} from "@capstan/testkit";
import { decryptFile } from "../decrypt-file.ts";
import { keyServices } from "./key-services.ts";

const run = promisify(execFile);
const skip = lackingRealVault() || lacking("sops");

/** What the real sops encrypts with a key of the real server's transit engine, and Capstan's way to read it. */
async function openWorld(t: TestContext, vault: RealVault, more: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "capstan-transit-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: vault.rootToken, ...more };
  const file = join(folder, "a.yaml");
  const encrypt = async (path = "transit/keys/own") => {
    await writeFile(file, "password: secret\n");
    const args = ["encrypt", "--in-place", "--hc-vault-transit", `${vault.address}/v1/${path}`, file];
    await run(realProgramPath("sops"), args, { env: { HOME: folder, ...env }, timeout: 30_000 });
    return readFile(file, "utf8");
  };
  const decrypt = async (text: string, own: Record<string, string> = {}) => {
    const services = keyServices({ ...env, ...own }, realClock);
    const signal = AbortSignal.timeout(30_000);
    return (await decryptFile(text, { file: "a.yaml", format: "yaml", services, signal })).toString();
  };
  return { folder, encrypt, decrypt };
}

const clear = 'password: "secret"\n';

test("a transit key: rotated, too old, deleted, refused, sealed", { skip }, async (t) => {
  await using vault = await startRealVault();
  await vault.ask("POST sys/mounts/transit", { type: "transit" });
  await vault.ask("POST transit/keys/own", {});
  const { encrypt, decrypt } = await openWorld(t, vault);
  const first = await encrypt();
  assert.equal(await decrypt(first), clear);
  await vault.ask("POST transit/keys/own/rotate");
  const second = await encrypt();
  assert.match(second, /enc: vault:v2:/);
  assert.equal(await decrypt(first), clear, "what an earlier version of the key encrypted");
  assert.equal(await decrypt(second), clear);
  await vault.ask("POST transit/keys/own/config", { min_decryption_version: 2, deletion_allowed: true });
  assert.equal(await decrypt(second), clear);
  await assert.rejects(
    decrypt(first),
    /hc_vault http:\S+ own: Vault answers 400: ciphertext or signature version is disallowed by policy \(too old\)$/,
  );
  await vault.ask("PUT sys/policies/acl/none", { policy: 'path "secret/*" { capabilities = ["read"] }' });
  const { auth } = await vault.ask("POST auth/token/create", { policies: ["none"] });
  const refused: string = Object(auth).client_token;
  await assert.rejects(
    decrypt(second, { VAULT_TOKEN: refused }),
    (error: Error) =>
      /own: permission denied \(1 error occurred: \* permission denied/.test(error.message) &&
      !error.message.includes(refused),
  );
  await assert.rejects(decrypt(second, { VAULT_TOKEN: "s.nobody" }), /own: permission denied$/);
  await vault.ask("PUT sys/seal");
  await assert.rejects(decrypt(second), /own: Vault is sealed$/);
  await vault.ask("PUT sys/unseal", { key: vault.unsealKey });
  assert.equal(await decrypt(second), clear);
  await vault.ask("DELETE transit/keys/own");
  await assert.rejects(decrypt(second), /own: Vault answers 400: encryption key not found$/);
});

test("an engine below another path, in a namespace, with a token of the home folder", { skip }, async (t) => {
  await using vault = await startRealVault();
  await vault.ask("POST sys/namespaces/team");
  await vault.ask("POST sys/mounts/of/sops", { type: "transit" }, { namespace: "team" });
  await vault.ask("POST of/sops/keys/own", {}, { namespace: "team" });
  const { folder, encrypt, decrypt } = await openWorld(t, vault, { VAULT_NAMESPACE: "team" });
  const text = await encrypt("of/sops/keys/own");
  await writeFile(join(folder, ".vault-token"), `${vault.rootToken}\n`);
  assert.equal(await decrypt(text, { VAULT_TOKEN: "", HOME: folder }), clear);
  await assert.rejects(
    decrypt(text, { VAULT_NAMESPACE: "" }),
    /own: Vault answers 404: no handler for route/,
  );
});

test("over TLS, with the authority that Vault's client is told of", { skip }, async (t) => {
  await using vault = await startRealVault({ tls: true });
  await vault.ask("POST sys/mounts/transit", { type: "transit" });
  await vault.ask("POST transit/keys/own", {});
  const { encrypt, decrypt } = await openWorld(t, vault, { VAULT_CACERT: vault.authority });
  const text = await encrypt();
  assert.equal(await decrypt(text), clear);
  await assert.rejects(
    decrypt(text, { VAULT_CACERT: "" }),
    /127\.0\.0\.1:\d+ cannot be reached: .*certificate/,
  );
});
