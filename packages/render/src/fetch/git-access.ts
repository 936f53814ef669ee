import { hash, randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalFolders, Repository } from "@capstan/model";
import { absoluteFolderOf, requireFolder } from "@capstan/plugin-kit";
import type { LocalGitAddress } from "@capstan/wire";
import { type GitCredentials, gitCredentials } from "./git-credentials.ts";
import type { IssuedTokens } from "./issued-tokens.ts";
import { proxyVariables } from "./repository-proxy.ts";

/** How git may reach one repository: only environment, so that no secret stands on a command line. */
export interface GitAccess extends GitCredentials {
  /** Removes the files with keys. */
  close(): Promise<void>;
}

export interface AccessFiles {
  /** A folder of this process alone, mode 0700. */
  dir: string;
  knownHosts: string;
  folders: LocalFolders;
  /** Where repositories of this machine are to be had, which are judged there; absent: they are read where they are. */
  localGit?: LocalGitAddress;
  /** Whether ssh may use the keys and the agent of who runs this process. */
  ownKeys: boolean;
  tokens: IssuedTokens;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The operator's word that every repository may be asked with the ssh keys of whoever runs Capstan. */
export const ownKeysVariable = "CAPSTAN_OWN_SSH_KEYS";

export async function prepareAccessFiles(
  dataDir: string,
  { env, ...given }: Pick<AccessFiles, "folders" | "localGit" | "tokens"> & { env: Env },
): Promise<AccessFiles> {
  const dir = join(dataDir, "git", "keys");
  await rm(dir, { recursive: true, force: true }); // keys of a process that was killed
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const knownHosts = join(dataDir, "ssh_known_hosts");
  return { ...given, dir, knownHosts, ownKeys: env[ownKeysVariable] === "true" };
}

/** Equal for equal credentials: answers obtained with some are not given to callers with others. */
export function credentialsDigest(repository: Repository): string {
  const { username, password, bearerToken, sshPrivateKey, tlsClientCertData, tlsClientCertKey } = repository;
  const { proxy, insecure, forceHttpBasicAuth, insecureOciForceHttp, tlsAuthorities, knownHosts } =
    repository;
  const { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, githubAppPrivateKey } =
    repository;
  const { gcpServiceAccountKey, useAzureWorkloadIdentity } = repository;
  const all = [
    ...[githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, githubAppPrivateKey],
    ...[gcpServiceAccountKey, useAzureWorkloadIdentity],
    ...[tlsAuthorities, knownHosts],
    ...[username, password, bearerToken, sshPrivateKey, tlsClientCertData, tlsClientCertKey],
    ...[proxy, insecure, forceHttpBasicAuth, insecureOciForceHttp],
  ];
  return hash("sha256", JSON.stringify(all), "base64url");
}

/** Rejects where the repository is a folder that applications may not use. */
export async function openAccess(
  given: Repository,
  files: AccessFiles,
  signal: AbortSignal,
): Promise<GitAccess> {
  const elsewhere = await localSettings(given.url, files);
  const repository = await files.tokens.complete(given, signal);
  const written: string[] = [];
  const write = async (content: string): Promise<string> => {
    const path = join(files.dir, randomUUID());
    written.push(path);
    await writeFile(path, content.endsWith("\n") ? content : `${content}\n`, { mode: 0o600, flag: "wx" });
    return path;
  };
  const { env: ofUser, settings } = gitCredentials(repository, "host");
  const env: Record<string, string> = {
    ...ofUser,
    ...(await proxyVariables(repository)),
    GIT_SSH_COMMAND: await sshCommand(repository, files, write),
  };
  if (repository.tlsClientCertData && repository.tlsClientCertKey) {
    env.GIT_SSL_CERT = await write(repository.tlsClientCertData);
    env.GIT_SSL_KEY = await write(repository.tlsClientCertKey);
  }
  if (repository.insecure) env.GIT_SSL_NO_VERIFY = "true";
  // In place of all others, as Argo CD does (util/git/client.go runCmdOutput).
  else if (repository.tlsAuthorities) env.GIT_SSL_CAINFO = await write(repository.tlsAuthorities);
  const close = async () => {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  };
  return { env, settings: [...settings, ...elsewhere], close };
}

/** By which git asks for a repository of this machine where it is to be had, and goes on calling it by its address. */
async function localSettings(
  url: string,
  { folders, localGit }: AccessFiles,
): Promise<GitCredentials["settings"]> {
  const folder = absoluteFolderOf(url);
  if (folder === undefined) return [];
  if (localGit === undefined) {
    await requireFolder(url, folders);
    return [];
  }
  const path = folder.split("/").map(encodeURIComponent).join("/");
  return [[`url.git://127.0.0.1:${localGit.port}/${localGit.token}${path}.insteadOf`, url.trim()]];
}

async function sshCommand(
  { sshPrivateKey, insecure, knownHosts: given }: Repository,
  { knownHosts, ownKeys }: AccessFiles,
  write: (content: string) => Promise<string>,
): Promise<string> {
  const files = given === undefined || insecure ? [knownHosts] : [await write(given), knownHosts];
  const hosts = insecure
    ? ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"]
    : ["StrictHostKeyChecking=yes", `UserKnownHostsFile=${quote(files.map((one) => `"${one}"`).join(" "))}`];
  const words = ["ssh", "-o", "BatchMode=yes", ...hosts.flatMap((option) => ["-o", option])];
  if (sshPrivateKey) words.push("-i", quote(await write(sshPrivateKey)), ...onlyThatKey);
  else if (!ownKeys) words.push(...noKey);
  return words.join(" ");
}

/** For programs that ask for several repositories: none is shown a key. */
export function plainSshCommand(files: AccessFiles): Promise<string> {
  return sshCommand({ url: "" }, files, () => Promise.reject(new Error("there is no key")));
}

/** Neither keys of an agent nor what a file of settings names: they are somebody's, and not the repository's. */
const onlyThatKey = ["-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none"];
const noKey = ["-o", "PubkeyAuthentication=no"];

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
