import { type Flags, flagTable, parseFlags, UsageError } from "@capstan/cli/flags";

const flags = {
  "config-path": {
    kind: "string",
    short: "c",
    help: "Settings as YAML, JSON or NAME=VALUE lines",
    value: "FILE",
  },
  "secret-name": {
    kind: "string",
    short: "s",
    help: "Secret with settings; namespace argocd unless given",
    value: "[NAMESPACE:]NAME",
  },
  "verbose-sensitive-output": {
    kind: "boolean",
    help: "Accepted and without effect: no secret is ever printed",
  },
  "disable-token-cache": {
    kind: "boolean",
    help: "Accepted and without effect: tokens are never written to a disk",
  },
  help: { kind: "boolean", short: "h", help: "Show this" },
} as const satisfies Flags;

export const usage = `Replace <placeholders> in manifests with values from a secret store.

Usage:
  argocd-vault-plugin generate PATH|- [flags]
  argocd-vault-plugin version

Flags:
${flagTable(flags)}
Settings come from ARGOCD_ENV_NAME, then NAME, then the file, then the Secret: AVP_TYPE, AVP_AUTH_TYPE, VAULT_ADDR …
Of VAULT_…, AWS_…, AZURE_…, GOOGLE_…, SOPS_… and OP_CONNECT_… what the file or the Secret sets goes before NAME.
`;

export interface AvpFlags {
  /** A folder or a file; "-" is standard input. */
  path: string;
  secretName?: string;
  configPath?: string;
}

export function readAvpFlags(argv: readonly string[]): AvpFlags | "help" | "version" {
  const { flags: values, args } = parseFlags(argv, flags);
  const [command, path, ...more] = args;
  if (values.help || command === undefined || command === "help") return "help";
  if (command === "version") return "version";
  if (command !== "generate") throw new UsageError(`unknown command "${command}": use generate or version`);
  if (path === undefined) throw new UsageError("<path> argument required to generate manifests");
  if (more.length > 0) throw new UsageError(`one path, not ${more.length + 1}`);
  const { "secret-name": secretName, "config-path": configPath } = values;
  // `-s ${ARGOCD_ENV_AVP_SECRET}` of an application that sets none.
  return { path, ...(secretName && { secretName }), ...(configPath && { configPath }) };
}
