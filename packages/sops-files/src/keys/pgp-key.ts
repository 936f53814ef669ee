import type { Clock } from "@capstan/flow";
import { runCommand } from "@capstan/plugin-kit";
import type { Unwrap } from "../data-key.ts";

const limitMs = 30_000;
const passed = ["PATH", "HOME", "GNUPGHOME", "GPG_TTY"] as const;

/** OpenPGP by the gpg program and its key ring (pgp/keysource.go). */
export function pgpKey(env: Readonly<Record<string, string | undefined>>, clock: Clock): Unwrap {
  return async ({ fields }, signal) => {
    const program = env.SOPS_GPG_EXEC || "gpg";
    const own = Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
    const { stdout } = await runCommand(
      {
        program,
        tool: "gpg",
        args: ["--batch", "--no-tty", "--quiet", "--pinentry-mode", "error", "--decrypt"],
        cwd: "/",
        env: own,
        stdin: fields.enc ?? "",
        installHint: "Install GnuPG, or encrypt the file for an age key too",
      },
      { clock, signal, timeoutMs: limitMs, maxStdoutBytes: 4096 },
    );
    return stdout;
  };
}
