import { createHash, randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "@capstan/model";

/** How git may reach one repository: only environment, so that no secret stands on a command line. */
export interface GitAccess {
  readonly env: Readonly<Record<string, string>>;
  /** Removes the files with keys. */
  close(): Promise<void>;
}

export interface AccessFiles {
  /** A folder of this process alone, mode 0700. */
  dir: string;
  /** Answers git's questions for user and password from the environment. */
  askPass: string;
  knownHosts: string;
}

const askPassScript = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$CAPSTAN_GIT_USERNAME" ;;
  *) printf '%s\\n' "$CAPSTAN_GIT_PASSWORD" ;;
esac
`;

export async function prepareAccessFiles(dataDir: string): Promise<AccessFiles> {
  const dir = join(dataDir, "git", "keys");
  await rm(dir, { recursive: true, force: true }); // keys of a process that was killed
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const askPass = join(dir, "ask-pass.sh");
  await writeFile(askPass, askPassScript, { mode: 0o700 });
  return { dir, askPass, knownHosts: join(dataDir, "ssh_known_hosts") };
}

/** Equal for equal credentials: answers obtained with some are not given to callers with others. */
export function credentialsDigest(repository: Repository): string {
  const {
    username,
    password,
    bearerToken,
    sshPrivateKey,
    tlsClientCertData,
    tlsClientCertKey,
    proxy,
    insecure,
  } = repository;
  const all = [
    username,
    password,
    bearerToken,
    sshPrivateKey,
    tlsClientCertData,
    tlsClientCertKey,
    proxy,
    insecure,
  ];
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}

export async function openAccess(repository: Repository, files: AccessFiles): Promise<GitAccess> {
  const written: string[] = [];
  const write = async (content: string): Promise<string> => {
    const path = join(files.dir, randomUUID());
    written.push(path);
    await writeFile(path, content.endsWith("\n") ? content : `${content}\n`, { mode: 0o600, flag: "wx" });
    return path;
  };
  const env: Record<string, string> = {
    ...passwordEnv(repository, files),
    ...headerEnv(repository),
    ...proxyEnv(repository),
    GIT_SSH_COMMAND: await sshCommand(repository, files, write),
  };
  if (repository.tlsClientCertData && repository.tlsClientCertKey) {
    env.GIT_SSL_CERT = await write(repository.tlsClientCertData);
    env.GIT_SSL_KEY = await write(repository.tlsClientCertKey);
  }
  if (repository.insecure) env.GIT_SSL_NO_VERIFY = "true";
  const close = async () => {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  };
  return { env, close };
}

function passwordEnv(
  { username, password, forceHttpBasicAuth }: Repository,
  { askPass }: AccessFiles,
): Record<string, string> {
  if (password === undefined || forceHttpBasicAuth) return {};
  // Hosts that take tokens ignore the user's name but want one (Argo CD: util/git newCreds).
  return {
    GIT_ASKPASS: askPass,
    CAPSTAN_GIT_USERNAME: username || "x-access-token",
    CAPSTAN_GIT_PASSWORD: password,
  };
}

function headerEnv(repository: Repository): Record<string, string> {
  const { bearerToken, forceHttpBasicAuth, username = "", password, url } = repository;
  const basic =
    forceHttpBasicAuth && password !== undefined
      ? `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`
      : undefined;
  const value = bearerToken ? `Bearer ${bearerToken}` : basic;
  if (value === undefined || !/^https?:/i.test(url)) return {};
  // Bound to the host, so that a redirect elsewhere does not carry it along.
  return {
    CAPSTAN_GIT_HEADER_KEY: `http.${new URL(url).origin}/.extraHeader`,
    CAPSTAN_GIT_HEADER: `Authorization: ${value}`,
  };
}

function proxyEnv({ proxy, noProxy }: Repository): Record<string, string> {
  if (!proxy) return {};
  return { http_proxy: proxy, https_proxy: proxy, ...(noProxy ? { no_proxy: noProxy } : {}) };
}

async function sshCommand(
  { sshPrivateKey, insecure }: Repository,
  { knownHosts }: AccessFiles,
  write: (content: string) => Promise<string>,
): Promise<string> {
  const hosts = insecure
    ? ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"]
    : ["StrictHostKeyChecking=yes", `UserKnownHostsFile=${quote(knownHosts)}`];
  const words = ["ssh", "-o", "BatchMode=yes", ...hosts.flatMap((option) => ["-o", option])];
  if (sshPrivateKey) words.push("-i", quote(await write(sshPrivateKey)), "-o", "IdentitiesOnly=yes");
  return words.join(" ");
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
