import { parseArgs } from "node:util";

/** What the person typed is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `Replace <placeholders> in manifests with values from a secret store.

Usage:
  argocd-vault-plugin generate PATH|- [flags]
  argocd-vault-plugin version

Flags:
  -c, --config-path FILE             settings as YAML, JSON or NAME=VALUE lines
  -s, --secret-name [NAMESPACE:]NAME Secret with settings; namespace argocd unless given
      --verbose-sensitive-output     accepted and without effect: no secret is ever printed
      --disable-token-cache          accepted and without effect: tokens are never written to a disk
  -h, --help                         show this

Settings come from ARGOCD_ENV_NAME, then NAME, then the file, then the Secret: AVP_TYPE, AVP_AUTH_TYPE, VAULT_ADDR …
`;

export interface AvpFlags {
  /** A folder or a file; "-" is standard input. */
  path: string;
  secretName?: string;
  configPath?: string;
}

const options = {
  "config-path": { type: "string", short: "c" },
  "secret-name": { type: "string", short: "s" },
  "verbose-sensitive-output": { type: "boolean" },
  "disable-token-cache": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export function readAvpFlags(argv: readonly string[]): AvpFlags | "help" | "version" {
  const { values, positionals } = parse(argv);
  const [command, path, ...more] = positionals;
  if (values.help || command === undefined) return "help";
  if (command === "version") return "version";
  if (command !== "generate") throw new UsageError(`unknown command "${command}": use generate or version`);
  if (path === undefined) throw new UsageError("<path> argument required to generate manifests");
  if (more.length > 0) throw new UsageError(`one path, not ${more.length + 1}`);
  const { "secret-name": secretName, "config-path": configPath } = values;
  // `-s ${ARGOCD_ENV_AVP_SECRET}` of an application that sets none.
  return { path, ...(secretName && { secretName }), ...(configPath && { configPath }) };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
