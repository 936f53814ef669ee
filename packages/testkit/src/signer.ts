import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Somebody with a throw-away key of OpenPGP. */
export interface Signer extends AsyncDisposable {
  /** 16 digits. */
  readonly keyId: string;
  /** 40 digits. */
  readonly fingerprint: string;
  /** Armored. */
  readonly publicKey: string;
  /** Armored. */
  readonly privateKey: string;
  /** In front of git's commands, so that `commit -S` and `tag -s` sign with the key. */
  readonly flags: readonly string[];
  /** The public key, with the word that it counts no more. */
  revoked(): Promise<string>;
}

/** The reason to skip, or false. */
export const lackingGpg = (): string | false =>
  spawnSync("gpg", ["--version"]).status === 0 ? false : "gpg is not installed: NO SIGNATURE IS TESTED";

/** `longAgo`: the key is of 2020, was good for a day, and signs as if it were then. */
export async function createSigner(identity: string, { longAgo = false } = {}): Promise<Signer> {
  const home = await mkdtemp(join(tmpdir(), "capstan-gpg-"));
  const at = (hour: string) => (longAgo ? ["--faked-system-time", `20200101T${hour}0000`] : []);
  const always = ["--homedir", home, "--batch", "--quiet", "--no-permission-warning"];
  const options = [...always, ...at("00")];
  // Each start begins at the time that it is told: who signs at the same as the key was made may be a second before it.
  const signing = [...always, ...at("06")];
  const gpg = async (...args: string[]): Promise<string> =>
    (await run("gpg", [...options, ...args], { maxBuffer: 2 ** 20 })).stdout;
  const open = ["--pinentry-mode", "loopback", "--passphrase", "", "--allow-freeform-uid"];
  await gpg(...open, "--quick-gen-key", identity, "ed25519", "sign", longAgo ? "1d" : "0");
  const listed = await gpg("--with-colons", "--list-keys");
  const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed)?.[1] ?? "";
  const program = join(home, "sign");
  await writeFile(program, `#!/bin/sh\nexec gpg ${signing.join(" ")} "$@"\n`, { mode: 0o755 });
  return {
    keyId: fingerprint.slice(-16),
    fingerprint,
    publicKey: await gpg("--armor", "--export", fingerprint),
    privateKey: await gpg("--armor", "--export-secret-keys", fingerprint),
    flags: ["-c", `gpg.program=${program}`, "-c", `user.signingkey=${fingerprint}`],
    async revoked() {
      const word = await readFile(join(home, "openpgp-revocs.d", `${fingerprint}.rev`), "utf8");
      const file = join(home, "revocation.asc");
      await writeFile(file, word.replace(/^:-----BEGIN/m, "-----BEGIN"));
      await gpg("--import", file);
      return gpg("--armor", "--export", fingerprint);
    },
    async [Symbol.asyncDispose]() {
      await run("gpgconf", ["--homedir", home, "--kill", "all"]);
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
