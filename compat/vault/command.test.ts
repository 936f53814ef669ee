import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import { lackingRealVault, startRealVault } from "@capstan/testkit";

const capstan = join(import.meta.dirname, "..", "..", "bin", "capstan.js");

const documents = [
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web", annotations: { "avp.kubernetes.io/path": "secret/data/web" } },
    stringData: { password: "<password>", url: "db://<user>:<password>@db:<port>" },
    data: { coded: Buffer.from("user=<user>").toString("base64") },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { replicas: "<path:secret/data/web#replicas>", note: "<path:secret/data/web#user#1 | sha256sum>" },
  },
];

/** What the program prints and leaves in the folder that is its home. */
async function generate(program: string, home: string, env: Record<string, string>) {
  const { PATH } = process.env;
  const options = { env: { PATH, HOME: home, TMPDIR: home, ...env }, timeout: 60_000 };
  const child = spawn(process.execPath, [program, "generate", "-"], options);
  const printed = { out: "", error: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    printed.out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    printed.error += chunk;
  });
  child.stdin.end(documents.map((one) => dumpYaml(one)).join("---\n"));
  const [code] = await once(child, "close");
  return { code, ...printed };
}

function textsBelow(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

test("argocd-vault-plugin generate: one login, one request a version, nothing on the disk", {
  skip: lackingRealVault(),
}, async (t) => {
  await using vault = await startRealVault();
  const home = await mkdtemp(join(tmpdir(), "capstan-avp-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const program = join(home, "argocd-vault-plugin");
  await symlink(capstan, program);
  for (const password of ["former-pass-word", "present-pass-word"])
    await vault.ask("POST secret/data/web", { data: { password, user: "ada", port: 5432, replicas: 3 } });
  const policy = 'path "secret/data/web" { capabilities = ["read"] }';
  await vault.ask("PUT sys/policies/acl/web", { policy });
  await vault.ask("POST sys/auth/approle", { type: "approle" });
  await vault.ask("POST auth/approle/role/web", { token_policies: ["web"] });
  const role = Object((await vault.ask("GET auth/approle/role/web/role-id")).data);
  const secret = Object((await vault.ask("POST auth/approle/role/web/secret-id", {})).data);
  const before = (await vault.audited()).length;
  const env = {
    ...{ AVP_TYPE: "vault", AVP_AUTH_TYPE: "approle", VAULT_ADDR: vault.address },
    ...{ AVP_ROLE_ID: role.role_id, ARGOCD_ENV_AVP_SECRET_ID: secret.secret_id },
  };
  const { code, out, error } = await generate(program, home, env);
  assert.deepEqual({ code, error }, { code: 0, error: "" });
  assert.match(out, /url: db:\/\/ada:present-pass-word@db:5432\n/);
  assert.match(out, new RegExp(`coded: ${Buffer.from("user=ada").toString("base64")}\n`));
  assert.match(out, /replicas: 3\n/);
  const asked = (await vault.audited()).slice(before);
  assert.deepEqual(asked.toSorted(), [
    "read secret/data/web",
    "read secret/data/web",
    "update auth/approle/login",
  ]);
  const left = textsBelow(home);
  for (const text of ["pass-word", secret.secret_id]) assert.ok(!left.includes(text));
  const wrong = await generate(program, home, { ...env, ARGOCD_ENV_AVP_SECRET_ID: "not-the-secret-id" });
  assert.equal(wrong.code, 1);
  assert.equal(wrong.out, "");
  assert.match(wrong.error, /Vault's login at auth\/approle: Vault answers 400: invalid role or secret ID/);
  assert.ok(!wrong.error.includes("not-the-secret-id"));
});
