import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "@capstan/flow";
import { decryptFile } from "../decrypt-file.ts";
import { keyServices } from "./key-services.ts";

const sops = join(import.meta.dirname, "../../../../testenv/bin/sops");
const noSops = existsSync(sops) ? false : "sops is not built: npm run testenv sops";
const noSsh = spawnSync("ssh-keygen", ["-?"]).error ? "ssh-keygen is not installed" : false;
const skip = noSops || noSsh;
const folder = await mkdtemp(join(tmpdir(), "capstan-ssh-"));
after(() => rm(folder, { recursive: true, force: true }));

async function makeKey(name: string, flags: readonly string[]): Promise<{ file: string; recipient: string }> {
  const file = join(folder, name);
  await rm(file, { force: true });
  execFileSync("ssh-keygen", ["-q", "-N", "", "-C", "ada@example.com", "-f", file, ...flags]);
  return { file, recipient: (await readFile(`${file}.pub`, "utf8")).trim() };
}

async function encryptFor(recipient: string): Promise<string> {
  const file = join(folder, "a.yaml");
  await writeFile(file, "password: secret\n");
  execFileSync(sops, ["encrypt", "--in-place", "--age", recipient, file], {
    env: { PATH: process.env.PATH, HOME: folder },
  });
  return readFile(file, "utf8");
}

async function decrypt(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const signal = AbortSignal.timeout(100_000);
  const services = keyServices(env, systemClock);
  return (await decryptFile(text, { file: "a.yaml", format: "yaml", services, signal })).toString();
}

const kinds: Readonly<Record<string, readonly string[]>> = {
  "Ed25519 in OpenSSH's format": ["-t", "ed25519"],
  "RSA in OpenSSH's format": ["-t", "rsa", "-b", "2048"],
  "RSA in PEM": ["-t", "rsa", "-b", "3072", "-m", "PEM"],
};

for (const [kind, flags] of Object.entries(kinds))
  test(`what the real sops encrypts for an SSH key is decrypted with it: ${kind}`, { skip }, async () => {
    const { file, recipient } = await makeKey("key", flags);
    const text = await encryptFor(recipient);
    assert.equal(await decrypt(text, { SOPS_AGE_SSH_PRIVATE_KEY_FILE: file }), 'password: "secret"\n');
    const command = { SOPS_AGE_SSH_PRIVATE_KEY_CMD: `cat ${file}`, PATH: process.env.PATH };
    assert.equal(await decrypt(text, command), 'password: "secret"\n');
    const other = await makeKey("other", flags);
    await assert.rejects(
      decrypt(text, { SOPS_AGE_SSH_PRIVATE_KEY_FILE: other.file }),
      /age ssh-.*no identity matched/,
    );
  });

test("keys of the home folder's .ssh are tried", { skip }, async () => {
  const { file, recipient } = await makeKey("key", ["-t", "ed25519"]);
  const home = join(folder, "home");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  await copyFile(file, join(home, ".ssh", "id_ed25519"));
  const text = await encryptFor(recipient);
  assert.equal(await decrypt(text, { HOME: home }), 'password: "secret"\n');
  await assert.rejects(decrypt(text, {}), /no SSH key: set SOPS_AGE_SSH_PRIVATE_KEY_FILE/);
});

test("a key with a passphrase, another type or none at all is refused without being quoted", {
  skip,
}, async () => {
  const { recipient } = await makeKey("key", ["-t", "ed25519"]);
  const text = await encryptFor(recipient);
  const locked = await makeKey("locked", ["-t", "ed25519", "-N", "top"]);
  const curve = await makeKey("curve", ["-t", "ecdsa"]);
  const refused: readonly [string, RegExp][] = [
    [locked.file, /the SSH key has a passphrase/],
    [curve.file, /SSH keys of type ecdsa-sha2-nistp256 cannot be age keys/],
    [`${curve.file}.pub`, /it has a passphrase, or is no private key/],
  ];
  for (const [file, message] of refused)
    await assert.rejects(decrypt(text, { SOPS_AGE_SSH_PRIVATE_KEY_FILE: file }), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /AAAAC3NzaC1lZDI1NTE5AAAA\w+ .*AAAAE2/);
      return true;
    });
});

test("SOPS_AGE_KEY_CMD is told for whom the key is to be", { skip }, async () => {
  const { generateX25519Identity, identityToRecipient } = await import("age-encryption");
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  const program = join(folder, "key.sh");
  await writeFile(
    program,
    `#!/bin/sh\n[ "$SOPS_AGE_RECIPIENT" = ${recipient} ] && echo "# a key" && echo ${identity}\n`,
    { mode: 0o700 },
  );
  const text = await encryptFor(recipient);
  const env = { PATH: process.env.PATH, SOPS_AGE_KEY_CMD: program };
  assert.equal(await decrypt(text, env), 'password: "secret"\n');
  await writeFile(program, "#!/bin/sh\necho no-secret-here >&2\nexit 3\n");
  await assert.rejects(decrypt(text, env), (error: Error) => {
    assert.match(error.message, /the command for the key, .*key\.sh, failed/);
    assert.doesNotMatch(error.message, /no-secret-here/);
    return true;
  });
});
