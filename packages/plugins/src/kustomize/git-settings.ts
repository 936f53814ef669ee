import { readFile } from "node:fs/promises";

const named = /^(GIT_CONFIG_(GLOBAL|SYSTEM)|GIT_SSL_.+|SSL_CERT_(FILE|DIR)|SSH_AUTH_SOCK)$/;
const included = /^\s*path\s*=\s*"?([^"\n]+)"?\s*$/gm;

/** Files by which git knows how to reach repositories: those that variables name, and what these include. */
export async function gitSettings(env: Readonly<Record<string, string>>): Promise<string[]> {
  const files = Object.entries(env).flatMap(([name, value]) =>
    named.test(name) && value.startsWith("/") ? [value] : [],
  );
  const text = await readFile(env.GIT_CONFIG_GLOBAL ?? "/dev/null", "utf8").catch(() => "");
  return [...files, ...[...text.matchAll(included)].flatMap(([, path]) => path ?? [])];
}
