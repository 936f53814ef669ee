import { readFile } from "node:fs/promises";
import {
  bestTemplate,
  CapstanError,
  hasCredentials,
  inheritCredentials,
  isSameRepository,
  permitsAddress,
  type Repository,
  withoutUserinfo,
} from "@capstan/model";
import type { ChartRequest, Stage } from "@capstan/plugin-kit";
import { isOciUrl } from "@capstan/registries";
import type { ManifestRequest } from "@capstan/wire";
import { gitCredentials, remoteProtocols, withGitSettings } from "./git-credentials.ts";
import type { HelmSources } from "./helm-sources.ts";
import type { IssuedTokens } from "./issued-tokens.ts";
import { isOciRepository } from "./oci-charts.ts";
import { proxyVariables } from "./repository-proxy.ts";

/** Credentials for the plugins of one render: of its own repository, and of others that the project permits. */
export function stageCredentials(
  request: ManifestRequest,
  { knownHostsFile, tokens }: { knownHostsFile: string; tokens: IssuedTokens },
  signal: AbortSignal,
): Stage["credentials"] {
  return async (url = request.repository.url) => {
    const { known: listed, isListed } = permittedRepository(request, url);
    const known = await tokens.complete(listed, signal);
    if (!isListed && !hasCredentials(known)) return {};
    const own = known.sshPrivateKey ? await readFile(knownHostsFile, "utf8").catch(() => "") : "";
    const knownHosts = known.sshPrivateKey ? [known.knownHosts ?? "", own].join("\n").trim() : "";
    return repositoryEnv(known, knownHosts);
  };
}

/** What is known of a repository that the source's project permits its applications. */
export function permittedRepository(
  request: ManifestRequest,
  url: string,
): { known: Repository; isListed: boolean } {
  const { repository: own, refSources = {}, sourceRepos = [], project, repositories = [] } = request;
  const lent = [own, ...Object.values(refSources).map(({ repository }) => repository)];
  const isOf = (one: Repository) => isSameRepository(one.url, url);
  const isLent = lent.find(isOf);
  if (!isLent && !permitsAddress(sourceRepos, url))
    throw new CapstanError({ code: "SOURCE_FORBIDDEN", project, repository: withoutUserinfo(url) });
  const listed = isLent ?? repositories.find(isOf);
  return { known: { ...(listed ?? inherited(request, url)), url }, isListed: listed !== undefined };
}

/** Charts for the plugins of one render, and logins, from repositories that the project permits. */
export function stageCharts(
  request: ManifestRequest,
  charts: Pick<HelmSources, "archive">,
  signal: AbortSignal,
): Pick<Stage, "chart" | "chartLogin"> {
  return {
    chart: async (wanted) => {
      const { name: chart, version, login, passCredentials = false } = wanted;
      const repository = withLogin(chartRepository(request, wanted), login);
      return charts.archive({ repository, chart, version, passCredentials }, signal);
    },
    chartLogin: async (repository) => chartRepository(request, { repository, name: repository }),
  };
}

/** An application may leave out TLS's checks for a password of its own, never for one that was given to Capstan. */
function withLogin(known: Repository, login: ChartRequest["login"] = {}): Repository {
  const { insecure, ...own } = login;
  if (!insecure || own.password !== undefined || !hasCredentials(known)) return { ...known, ...login };
  return { ...known, ...own };
}

/** By name (`@name`, `alias:name`), by URL, of an OCI registry also by the beginning of its address. */
function chartRepository(
  request: ManifestRequest,
  { repository: url, name }: Pick<ChartRequest, "repository" | "name">,
): Repository {
  const { repository: own, repositories = [], sourceRepos, project } = request;
  const all = [own, ...repositories];
  const alias = /^(?:@|alias:)(.+)$/.exec(url)?.[1];
  if (alias !== undefined) {
    const named = all.find((one) => one.name === alias);
    if (named) return named;
    const problem = `there is no repository called ${alias}. Add it with: capstan repo add`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `chart dependency ${name}`, problem });
  }
  const isOwn = isSameRepository(own.url, url);
  if (sourceRepos && !isOwn && !permitsAddress(sourceRepos, url))
    throw new CapstanError({ code: "SOURCE_FORBIDDEN", project, repository: withoutUserinfo(url) });
  if (!isOciUrl(url)) {
    const known = all.find((one) => isSameRepository(one.url, url)) ?? inherited(request, url);
    return { ...known, url, type: "helm" };
  }
  const known = bestTemplate(all.filter(isOciRepository).map(asOci), url);
  return { ...(known ?? inherited(request, url)), url, type: "oci" };
}

function asOci(repository: Repository): Repository {
  return { ...repository, type: "oci" };
}

function inherited({ credentialTemplates = [], project }: ManifestRequest, url: string): Repository {
  return inheritCredentials({ url }, credentialTemplates, project);
}

/** Gives ssh a key and host keys that stand in the environment, through files that are gone when ssh has ended. */
const sshWithKey = (options: string) =>
  [
    `sh -c 'umask 077; dir=$(mktemp -d) && printf "%s\\n" "$CAPSTAN_GIT_SSH_KEY" > "$dir/key"`,
    `&& printf "%s\\n" "$CAPSTAN_GIT_KNOWN_HOSTS" > "$dir/hosts"`,
    `&& ssh -i "$dir/key" -o IdentitiesOnly=yes -o IdentityAgent=none -o ConnectTimeout=15 ${options} "$@";`,
    `code=$?; rm -rf "$dir"; exit $code' ssh`,
  ].join(" ");

/**
 * Variables that let git reach a repository from wherever a plugin runs. Argo CD's (GIT_ASKPASS with a socket) want
 * the argocd program and a shared folder there; these want nothing but git and sh.
 */
export async function repositoryEnv(
  repository: Repository,
  knownHosts = "",
): Promise<Record<string, string>> {
  const { sshPrivateKey, insecure } = repository;
  const { env: given, settings } = gitCredentials(repository, "repository");
  const env: Record<string, string> = {
    ...given,
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: remoteProtocols,
  };
  if (sshPrivateKey) {
    const given = knownHosts === "" ? "" : '-o StrictHostKeyChecking=yes -o UserKnownHostsFile="$dir/hosts"';
    const hosts = insecure ? "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null" : given;
    env.CAPSTAN_GIT_SSH_KEY = sshPrivateKey.trimEnd();
    env.CAPSTAN_GIT_KNOWN_HOSTS = knownHosts.trimEnd();
    env.GIT_SSH_COMMAND = sshWithKey(`-o BatchMode=yes ${hosts}`);
  }
  if (insecure) env.GIT_SSL_NO_VERIFY = "true";
  Object.assign(env, await proxyVariables(repository));
  return withGitSettings(env, settings);
}
