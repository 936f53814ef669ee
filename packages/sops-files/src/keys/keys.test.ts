import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import { decryptFile } from "../decrypt-file.ts";
import { keyServices } from "./key-services.ts";

const run = promisify(execFile);
const sops = join(import.meta.dirname, "../../../../testenv/bin/sops");
const noSops = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const noGpg = spawnSync("gpg", ["--version"]).status === 0 ? false : "gpg is not installed";
const folder = await mkdtemp(join(tmpdir(), "capstan-keys-"));
after(() => rm(folder, { recursive: true, force: true }));
const file = join(folder, "a.yaml");
const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal: AbortSignal) => {
    await sleep(ms, undefined, { signal });
  },
};

async function encrypt(flags: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  await writeFile(file, "password: secret\n");
  await run(sops, ["encrypt", "--in-place", ...flags, file], { env: { ...process.env, ...env } });
  return readFile(file, "utf8");
}

async function decrypt(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const signal = AbortSignal.timeout(100_000);
  const services = keyServices(env, clock);
  return (await decryptFile(text, { file: "a.yaml", format: "yaml", services, signal })).toString();
}

test("OpenPGP, by a key of gpg's ring", { skip: noSops || noGpg }, async () => {
  const env = { PATH: process.env.PATH, GNUPGHOME: join(folder, "gnupg") };
  execFileSync("mkdir", ["-m", "700", env.GNUPGHOME]);
  const gpg = (...args: string[]) =>
    execFileSync("gpg", ["--batch", "--quiet", ...args], {
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
  gpg("--passphrase", "", "--quick-gen-key", "Ada <ada@example.com>", "future-default", "default", "never");
  const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(gpg("--list-keys", "--with-colons"))?.[1] ?? "";
  try {
    const text = await encrypt(["--pgp", fingerprint], env);
    assert.equal(await decrypt(text, env), 'password: "secret"\n');
    const other = { ...env, GNUPGHOME: folder };
    await assert.rejects(decrypt(text, other), new RegExp(`pgp ${fingerprint}: gpg failed`));
  } finally {
    spawnSync("gpgconf", ["--kill", "all"], { env: { ...process.env, ...env } });
  }
});

/** The transit engine's two calls, from Vault's published API description: a token, base64 in and out. */
function startTransit() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      asked.push(`${request.method} ${request.url}`);
      const given: unknown = JSON.parse(body);
      const [, action] = /^\/v1\/transit\/(encrypt|decrypt)\/own$/.exec(request.url ?? "") ?? [];
      const isAllowed = request.headers["x-vault-token"] === "s.token";
      const isKnown = isAllowed && isRecord(given) && action;
      response.statusCode = isKnown ? 200 : isAllowed ? 400 : 403;
      const data = !isKnown
        ? undefined
        : action === "encrypt"
          ? { ciphertext: `vault:v1:${String(given.plaintext)}` }
          : { plaintext: String(given.ciphertext).replace("vault:v1:", "") };
      const error = isAllowed ? "encryption key not found" : "permission denied";
      response.end(JSON.stringify(data ? { data } : { errors: [error] }));
    });
  });
  return new Promise<{ address: string; asked: string[]; close: () => void }>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const at = server.address();
      const port = typeof at === "object" && at ? at.port : 0;
      resolve({ address: `http://127.0.0.1:${port}`, asked, close: () => server.close() });
    });
  });
}

test("Vault's transit engine, only at an address that is allowed", { skip: noSops }, async () => {
  const vault = await startTransit();
  try {
    const env = { VAULT_ADDR: vault.address, VAULT_TOKEN: "s.token" };
    const text = await encrypt(["--hc-vault-transit", `${vault.address}/v1/transit/keys/own`], env);
    assert.equal(await decrypt(text, env), 'password: "secret"\n');
    assert.equal(vault.asked.at(-1), "POST /v1/transit/decrypt/own");
    const before = vault.asked.length;
    const elsewhere = { ...env, SOPS_HC_VAULT_ALLOWLIST: "https://vault.example.com" };
    await assert.rejects(decrypt(text, elsewhere), /not in SOPS_HC_VAULT_ALLOWLIST/);
    assert.equal(vault.asked.length, before);
    const gone = text.replace("key_name: own", "key_name: gone");
    await assert.rejects(decrypt(gone, env), /gone: Vault answers 400: encryption key not found$/);
    await assert.rejects(
      decrypt(text, { ...env, VAULT_TOKEN: "s.other" }),
      /hc_vault http:.* own: permission denied$/,
    );
  } finally {
    vault.close();
  }
});
