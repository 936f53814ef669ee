import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, SharedCalls } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { type ProgramStarter, runToEnd } from "@capstan/plugin-kit";

interface Options {
  dataDir: string;
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  starter?: ProgramStarter;
}

/** Who is in the keyring is the operator's to say, so no key needs another's word; and gpg asks nobody else for one. */
const configuration = `trust-model always
no-auto-key-retrieve
disable-dirmngr
no-autostart
no-greeting
`;
const kept = 8;

/** Folders as gpg's GNUPGHOME has them, one for each set of public keys. */
export class Keyrings {
  readonly #options: Options;
  readonly #made = new Set<string>();
  readonly #making = new SharedCalls<void>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** `keys`: armored public keys. What of them gpg does not take is not there. */
  async open(keys: readonly string[], signal: AbortSignal): Promise<string> {
    const name = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 24);
    const folder = join(this.#options.dataDir, "keyrings", name);
    if (!this.#made.has(name)) {
      await this.#making.join(name, (inner) => this.#make(folder, keys, inner), signal);
      this.#made.add(name);
      await this.#removeOldest();
    }
    return folder;
  }

  async #make(folder: string, keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock, env, timeoutMs, starter } = this.#options;
    const fresh = `${folder}.new`;
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    await writeFile(join(fresh, "gpg.conf"), configuration);
    const args = [
      "--homedir",
      fresh,
      "--batch",
      "--quiet",
      "--no-tty",
      ...(keys.length > 0 ? ["--import"] : ["--list-keys"]),
    ];
    const { stopReason, stderr } = await runToEnd(
      {
        program: "gpg",
        args,
        cwd: fresh,
        env: { PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin", HOME: "/dev/null", LC_ALL: "C" },
        stdin: `${keys.join("\n")}\n`,
        installHint: "Install GnuPG where the repo server runs: projects demand signatures",
      },
      { clock, signal, timeoutMs, ...(starter ? { starter } : {}) },
    );
    if (stopReason !== undefined) throw stopReason;
    // It ends with an error where one of several keys is bad; that a usable keyring came of it is what counts.
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder).catch((error: unknown) => {
      throw new CapstanError({ code: "UNAVAILABLE", what: "the keyring", problem: stderr.trim() }, error);
    });
  }

  async #removeOldest(): Promise<void> {
    for (const name of [...this.#made].slice(0, -kept)) {
      this.#made.delete(name);
      await rm(join(this.#options.dataDir, "keyrings", name), { recursive: true, force: true });
    }
  }
}
