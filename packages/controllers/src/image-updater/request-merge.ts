import type { RequestHost, WriteBack } from "@capstan/engine";
import { askForMerge, type HostCredential, type MergeAsked, mergesFor } from "@capstan/git-hosts";
import { CapstanError, isCapstanError, messageOf, type Repository, withoutUserinfo } from "@capstan/model";
import type { FilesWritten, FileWriteRequest } from "@capstan/wire";
import type { UpdaterNeeds } from "./updater-needs.ts";

type GitWriteBack = Extract<WriteBack, { method: "git" }>;

interface Asked {
  readonly request: FileWriteRequest;
  readonly written: FilesWritten;
  readonly writeBack: GitWriteBack & { readonly request: NonNullable<GitWriteBack["request"]> };
}

/** Asks the repository's host to merge what was pushed; nothing where nothing is to be merged. */
export async function requestMerge(
  { hosts }: Pick<UpdaterNeeds, "hosts">,
  { request, written, writeBack }: Asked,
  signal: AbortSignal,
): Promise<MergeAsked | undefined> {
  const { repository } = request;
  const { revision, branch, base, files } = written;
  // The branch has all of it, so that nothing was pushed.
  if (revision === "" || branch === base) return undefined;
  const { host, labels } = writeBack.request;
  const { api, owner, name } = placeOf(host, repository.url);
  const merges = mergesFor(host, {
    api: repository.githubAppEnterpriseBaseUrl || api,
    credential: credentialFor(host, repository),
    tls: { insecure: repository.insecure, ca: repository.tlsAuthorities },
    ...(repository.proxy ? { proxy: proxyOf(repository) } : {}),
    // Only the operator's own repositories may be on this machine.
    guarded: writeBack.credentials !== "repository" || repository.project !== undefined,
    calls: hosts,
  });
  const [title = "", ...rest] = request.message.trim().split("\n");
  const wish = {
    of: { owner, name },
    ...{ head: branch, base, revision, labels },
    title,
    body: rest.join("\n").trim(),
    isNew: files.length > 0,
  };
  try {
    const asked = await askForMerge(merges, { calls: hosts, wish }, signal);
    if (asked.outcome !== "declined") return asked;
    throw refused(
      `request ${asked.number} of branch ${branch} was closed without being merged, and is not opened again for the same images: open it again, or leave it until there are newer ones`,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) throw error;
    throw refused(`${withoutUserinfo(repository.url)}: ${messageOf(error)}`);
  }
}

/** The host's API is where the repository is, and nowhere that anybody names: its credentials go there anyway. */
function placeOf(
  host: RequestHost,
  repoURL: string,
): { api: string | undefined; owner: string; name: string } {
  const url = URL.canParse(repoURL) ? new URL(repoURL) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw refused(
      `${withoutUserinfo(repoURL)} is reached by ssh, which opens no requests: name it by https, with a token`,
    );
  const all = url.pathname
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean)
    .map(decoded);
  const name = all.pop() ?? "";
  const places: Record<RequestHost, () => { before: readonly string[]; owner: string; name: string }> = {
    gitlab: () => ({ before: [], owner: all.join("/"), name }),
    azureDevOps: () => {
      const parts = all.at(-1) === "_git" ? all.slice(0, -1) : all;
      return { before: parts.slice(0, -2), owner: parts.slice(-2).join("/"), name };
    },
    bitbucketServer: () => {
      const parts = all.at(-2) === "scm" ? all.toSpliced(-2, 1) : all;
      return { before: parts.slice(0, -1), owner: parts.at(-1) ?? "", name };
    },
    github: () => ({ before: all.slice(0, -1), owner: all.at(-1) ?? "", name }),
    gitea: () => ({ before: all.slice(0, -1), owner: all.at(-1) ?? "", name }),
    bitbucket: () => ({ before: all.slice(0, -1), owner: all.at(-1) ?? "", name }),
  };
  const place = places[host]();
  if (place.owner === "" || name === "")
    throw refused(`${withoutUserinfo(repoURL)} names no repository of ${host}`);
  const own = [url.origin, ...place.before.map(encodeURIComponent)].join("/");
  const isPublic = url.hostname === publicHosts[host];
  return { api: isPublic ? undefined : host === "bitbucket" ? `${own}/2.0` : own, owner: place.owner, name };
}

/** Whose API has another address than their repositories, or the one that is asked by itself. */
const publicHosts: Readonly<Partial<Record<RequestHost, string>>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
  azureDevOps: "dev.azure.com",
};

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused("the address of the repository is not written as addresses are");
  }
}

/** What pushes also asks: hosts take a token as the password of git. */
function credentialFor(host: RequestHost, repository: Repository): HostCredential {
  const { username = "", password = "", bearerToken = "" } = repository;
  const {
    githubAppID: id,
    githubAppInstallationID: installation,
    githubAppPrivateKey: privateKey,
  } = repository;
  if (host === "github" && id && privateKey) return { kind: "githubApp", id, installation, privateKey };
  if (bearerToken !== "") return { kind: "token", token: bearerToken };
  if (password === "")
    throw refused(
      `there is no token for ${withoutUserinfo(repository.url)} by which a request can be opened: give its credentials a password, which is a token of the host`,
    );
  const isNamed = host === "gitea" || host === "bitbucket" || host === "bitbucketServer";
  const isToken = username === "" || username === "x-token-auth" || username === "oauth2";
  return isNamed && !isToken ? { kind: "basic", username, password } : { kind: "token", token: password };
}

function proxyOf({ proxy = "", noProxy }: Repository) {
  return { http_proxy: proxy, https_proxy: proxy, ...(noProxy ? { no_proxy: noProxy } : {}) };
}

function refused(problem: string): CapstanError {
  return new CapstanError({ code: "FAILED_PRECONDITION", what: "pull-request", problem });
}
