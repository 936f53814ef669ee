import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { type ProgramStarter, runToEnd } from "@capstan/plugin-kit";
import type { CommitSigning } from "@capstan/wire";
import type { GitAccess } from "../fetch/git-access.ts";

interface Options {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly starter?: ProgramStarter;
}

/** Nobody is asked for anything: a key with a passphrase is refused. */
const gpgSettings = "no-greeting\nno-auto-key-retrieve\ndisable-dirmngr\npinentry-mode loopback\n";
const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** Private keys on disk for as long as one commit is signed, in a folder that is emptied at each start. */
export class CommitSigners {
  readonly #options: Options;
  readonly #dir: string;
  #emptied: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#dir = join(options.dataDir, "signing");
  }

  /** What git has to be told so that `commit-tree -S` signs with this key. */
  async open(signing: CommitSigning, signal: AbortSignal): Promise<GitAccess> {
    this.#emptied ??= rm(this.#dir, { recursive: true, force: true });
    await this.#emptied;
    // Short: gpg's agent listens in it, and addresses of sockets have 107 bytes (unix(7)).
    const folder = join(this.#dir, randomBytes(4).toString("hex"));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      if (signing.method === "ssh") return await this.#openSsh(folder, signing.key);
      return await this.#openGpg(folder, signing.key, signal);
    } catch (error) {
      await this.#close(folder);
      throw error;
    }
  }

  async #openSsh(folder: string, key: string): Promise<GitAccess> {
    const file = join(folder, "key");
    // OpenSSH reads no key whose last line has no end.
    await writeFile(file, `${key.trim()}\n`, { mode: 0o600, flag: "wx" });
    const settings: GitAccess["settings"] = [
      ["gpg.format", "ssh"],
      ["user.signingkey", file],
    ];
    return { env: {}, settings, close: () => this.#close(folder) };
  }

  async #openGpg(folder: string, key: string, signal: AbortSignal): Promise<GitAccess> {
    await writeFile(join(folder, "gpg.conf"), gpgSettings);
    const args = ["--batch", "--no-tty", "--quiet", "--status-fd", "1", "--import"];
    const { stdout, stderr } = await this.#run("gpg", { folder, args, stdin: `${key.trim()}\n` }, signal);
    // doc/DETAILS of GnuPG: bit 4 of IMPORT_OK says that the key is a private one.
    const imported = [...stdout.toString().matchAll(/^\[GNUPG:\] IMPORT_OK (\d+) ([0-9A-F]{40})$/gm)];
    const fingerprint = imported.find(([, flags]) => (Number(flags) & 16) !== 0)?.[2];
    if (fingerprint === undefined)
      throw unusable(`it is no private key of OpenPGP: ${lastLine(stderr) || "gpg finds none in it"}`);
    const settings: GitAccess["settings"] = [
      ["gpg.format", "openpgp"],
      ["user.signingkey", fingerprint],
    ];
    const close = async () => {
      // Its agent would stay; it ends by itself, later, where this is not reached.
      const closing = AbortSignal.timeout(this.#options.timeoutMs);
      await this.#run("gpgconf", { folder, args: ["--kill", "all"] }, closing).catch(() => undefined);
      await this.#close(folder);
    };
    return { env: { GNUPGHOME: folder }, settings, close };
  }

  #run(
    program: string,
    { folder, args, stdin }: { folder: string; args: readonly string[]; stdin?: string },
    signal: AbortSignal,
  ) {
    const { clock, env, timeoutMs, starter } = this.#options;
    const own = { PATH: env.PATH ?? usualPath, HOME: "/dev/null", LC_ALL: "C", GNUPGHOME: folder };
    const installHint = "Install GnuPG where the repo server runs: commits are to be signed";
    return runToEnd(
      { program, args, cwd: folder, env: own, installHint, ...(stdin === undefined ? {} : { stdin }) },
      { clock, signal, timeoutMs, ...(starter ? { starter } : {}) },
    );
  }

  async #close(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

export function unusable(problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "git.commit-signing-key", problem });
}

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
}
