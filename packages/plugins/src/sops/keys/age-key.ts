import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Unwrap } from "../data-key.ts";

type Env = Readonly<Record<string, string | undefined>>;

const run = promisify(execFile);
const maxKeyFile = 2 ** 20;
const commandLimitMs = 10_000;

/** age, its identities where sops looks for them (age/keysource.go loadIdentities). */
export function ageKey(env: Env): Unwrap {
  return async ({ fields }, signal) => {
    const identities = await readIdentities(env, { recipient: fields.recipient ?? "", signal });
    if (identities.length === 0)
      throw new Error("no age key: set SOPS_AGE_KEY, SOPS_AGE_KEY_FILE or SOPS_AGE_KEY_CMD");
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
  return [...new Set(texts.flatMap(identitiesIn))];
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
    throw new Error("SOPS_AGE_KEY_CMD failed", { cause: error });
  }
}
