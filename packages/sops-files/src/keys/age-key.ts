import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Identity } from "age-encryption";
import type { Unwrap } from "../data-key.ts";
import { sshIdentity } from "./ssh-identity.ts";

type Env = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const maxKeyFile = 2 ** 20;
const commandLimitMs = 10_000;

/** age, its identities where sops looks for them (age/keysource.go loadIdentities). */
export function ageKey(env: Env): Unwrap {
  return async ({ fields }, signal) => {
    const { recipient = "" } = fields;
    const read = recipient.startsWith("ssh-") ? readSshIdentities : readIdentities;
    const identities = await read(env, { recipient, signal });
    const { armor, Decrypter } = await import("age-encryption");
    const decrypter = new Decrypter();
    for (const identity of identities) decrypter.addIdentity(identity);
    return Buffer.from(await decrypter.decrypt(armor.decode(fields.enc ?? "")));
  };
}

async function readIdentities(
  env: Env,
  { recipient, signal }: { recipient: string; signal: AbortSignal },
): Promise<string[]> {
  const texts: string[] = [];
  if (env.SOPS_AGE_KEY !== undefined) texts.push(env.SOPS_AGE_KEY.replaceAll(/[ ,]+/g, "\n"));
  if (env.SOPS_AGE_KEY_FILE !== undefined) texts.push(await readKeyFile(env.SOPS_AGE_KEY_FILE, signal));
  if (env.SOPS_AGE_KEY_CMD !== undefined)
    texts.push(
      await printedBy(env.SOPS_AGE_KEY_CMD, { env: { ...env, SOPS_AGE_RECIPIENT: recipient }, signal }),
    );
  const config = env.XDG_CONFIG_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, ".config"));
  if (config !== undefined)
    texts.push(await readKeyFile(join(config, "sops", "age", "keys.txt"), signal).catch(() => ""));
  const identities = [...new Set(texts.flatMap(identitiesIn))];
  if (identities.length > 0) return identities;
  throw new Error("no age key: set SOPS_AGE_KEY, SOPS_AGE_KEY_FILE or SOPS_AGE_KEY_CMD");
}

/** SSH keys, which may be recipients of age too (age/keysource.go loadAgeSSHIdentities). */
async function readSshIdentities(
  env: Env,
  { recipient, signal }: { recipient: string; signal: AbortSignal },
): Promise<Identity[]> {
  const { SOPS_AGE_SSH_PRIVATE_KEY_FILE: file, SOPS_AGE_SSH_PRIVATE_KEY_CMD: command, HOME: home } = env;
  const texts: string[] = [];
  if (file !== undefined) texts.push(await readKeyFile(file, signal));
  if (command !== undefined)
    texts.push(await printedBy(command, { env: { ...env, SOPS_AGE_RECIPIENT: recipient }, signal }));
  for (const name of home === undefined ? [] : ["id_ed25519", "id_rsa"])
    texts.push(await readKeyFile(join(home ?? "", ".ssh", name), signal).catch(() => ""));
  const problems: string[] = [];
  const identities = texts.filter(Boolean).flatMap((text) => {
    try {
      return [sshIdentity(text)];
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (identities.length > 0) return identities;
  const why = problems.length > 0 ? ` (${problems.join("; ")})` : "";
  throw new Error(`no SSH key: set SOPS_AGE_SSH_PRIVATE_KEY_FILE${why}`);
}

/** Lines of a key file; comments tell when a key was made. */
function identitiesIn(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith("AGE-SECRET-KEY-"));
}

async function readKeyFile(file: string, signal: AbortSignal): Promise<string> {
  try {
    const text = await readFile(file, { encoding: "utf8", signal });
    if (text.length > maxKeyFile) throw new Error("it is larger than 1 MiB");
    return text;
  } catch (error) {
    throw new Error(`the key file cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

async function printedBy(
  command: string,
  { env, signal }: { env: Env; signal: AbortSignal },
): Promise<string> {
  const [program = "", ...args] = command.split(/\s+/).filter((word) => word !== "");
  try {
    const { stdout } = await run(program, args, {
      env,
      signal,
      timeout: commandLimitMs,
      maxBuffer: maxKeyFile,
    });
    return stdout;
  } catch (error) {
    // What it printed may hold a key.
    throw new Error(`the command for the key, ${program}, failed`, { cause: error });
  }
}
