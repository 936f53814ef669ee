import { readFile } from "node:fs/promises";
import { ExitError, type Flags, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";
import type { Io } from "../../io.ts";

/** Flags of `repo add` and `repocreds add`. */
export const credentialFlags = {
  type: { kind: "string", help: "Kind of repository", choices: ["git", "helm", "oci"], byDefault: "git" },
  username: { kind: "string", help: "User", value: "NAME" },
  password: {
    kind: "string",
    help: "Password or token; asked for when --username stands alone",
    value: "TEXT",
  },
  "bearer-token": { kind: "string", help: "Bearer token", value: "TEXT" },
  "ssh-private-key-path": { kind: "string", help: "File with the SSH key", value: "FILE" },
  "tls-client-cert-path": { kind: "string", help: "File with the client certificate", value: "FILE" },
  "tls-client-cert-key-path": {
    kind: "string",
    help: "File with the client certificate's key",
    value: "FILE",
  },
  "github-app-id": { kind: "integer", help: "Id of the GitHub App", value: "ID" },
  "github-app-installation-id": { kind: "integer", help: "Id of the GitHub App's installation", value: "ID" },
  "github-app-private-key-path": { kind: "string", help: "File with the GitHub App's key", value: "FILE" },
  "github-app-enterprise-base-url": {
    kind: "string",
    help: "API of a GitHub of one's own",
    value: "URL",
  },
  "gcp-service-account-key-path": {
    kind: "string",
    help: "File with the key of a service account of Google Cloud",
    value: "FILE",
  },
  "use-azure-workload-identity": {
    kind: "boolean",
    help: "Azure DevOps by the server's own identity",
  },
  "enable-oci": { kind: "boolean", help: "Helm charts of an OCI registry" },
  "force-http-basic-auth": { kind: "boolean", help: "Send credentials without being asked" },
} as const satisfies Flags;

type Values = FlagValues<typeof credentialFlags>;

/** What flags say, files read; combinations that argocd refuses are refused (cmd/argocd/commands/repo.go, cmd/util/repo.go). */
export async function readCredentials(url: string, flags: Values, io: Io) {
  checkCombinations(url, flags);
  const read = async (file: string | undefined) => (file === undefined ? undefined : readFile(file, "utf8"));
  return compact({
    type: flags.type,
    username: flags.username,
    password: await readPassword(flags, io),
    bearerToken: flags["bearer-token"],
    sshPrivateKey: await read(flags["ssh-private-key-path"]),
    tlsClientCertData: await read(flags["tls-client-cert-path"]),
    tlsClientCertKey: await read(flags["tls-client-cert-key-path"]),
    githubAppID: flags["github-app-id"],
    githubAppInstallationID: flags["github-app-installation-id"],
    githubAppPrivateKey: await read(flags["github-app-private-key-path"]),
    githubAppEnterpriseBaseUrl: flags["github-app-enterprise-base-url"],
    gcpServiceAccountKey: await read(flags["gcp-service-account-key-path"]),
    useAzureWorkloadIdentity: flags["use-azure-workload-identity"],
    enableOCI: flags["enable-oci"],
    forceHttpBasicAuth: flags["force-http-basic-auth"],
  });
}

async function readPassword({ username, password }: Values, io: Io): Promise<string | undefined> {
  if (!username || password !== undefined) return password;
  return io.errIsTerminal ? io.ask("Password: ", { hidden: true }) : undefined;
}

const overSsh = (url: string): boolean => /^(ssh:\/\/)?[^/:]*@[^@]+$|^ssh:\/\//.test(url);
const overHttps = (url: string): boolean => /^https:\/\//i.test(url);

function checkCombinations(url: string, flags: Values): void {
  const refuse = (sentence: string) => new ExitError(sentence, 20);
  if (flags["ssh-private-key-path"] && !overSsh(url))
    throw refuse("--ssh-private-key-path is only supported for SSH repositories.");
  if (Boolean(flags["tls-client-cert-path"]) !== Boolean(flags["tls-client-cert-key-path"]))
    throw refuse("--tls-client-cert-path and --tls-client-cert-key-path must be specified together");
  const overHttpsAlone = [
    "tls-client-cert-path",
    "github-app-private-key-path",
    "gcp-service-account-key-path",
  ] as const;
  for (const flag of overHttpsAlone)
    if (flags[flag] && !overHttps(url)) throw refuse(`--${flag} is only supported for HTTPS repositories`);
  if (!flags["bearer-token"]) return;
  if (flags.password) throw refuse("only --bearer-token or --password is allowed, not both");
  if (flags.type !== undefined && flags.type !== "git")
    throw refuse("--bearer-token is only supported for Git repositories");
  if (!overHttps(url)) throw refuse("--bearer-token is only supported for HTTPS repositories");
}

export function requireName({ type, name }: { type?: string; name?: string }): void {
  if (type === "helm" && !name) throw new UsageError("a Helm repository needs a --name");
}
